# Recorded answers: ask Spark again, replay them on our engine, look for more with random inputs.
.PHONY: record record-jar record-plans record-signatures replay gaps fuzz

record: $(READY)  ## ask a real Spark again: make record TOPIC=strings [REMOTE=sc://host:port]; without a topic, plans too
	$(BIN)/python -m tools.record values $(TOPIC) $(if $(REMOTE),--remote $(REMOTE))
	$(if $(TOPIC),,$(MAKE) record-plans)

record-jar: $(READY)  ## write down again what Spark's jars say: error conditions, descriptions of functions
	$(BIN)/python -m tools.spark_jar

record-plans: $(READY)  ## ask a real Spark the recorded plans and sessions again: [REMOTE=sc://host:port] (local[2], 4 shuffle partitions)
	PYTHONPATH=. $(BIN)/python tests/plans/record_plans.py $(or $(REMOTE),sc://localhost:15002)
	$(BIN)/python tests/proto/record_sessions.py $(or $(REMOTE),sc://localhost:15002)

record-signatures: $(READY)  ## ask a real Spark which types functions take and give: [TOPIC=…] [REMOTE=…]
	$(BIN)/python -m tools.record signatures $(TOPIC) $(if $(REMOTE),--remote $(REMOTE))

replay: $(READY)  ## the recorded cases on our engine, function by function: [TOPIC=…] [FUNCTION=upper]
	$(BIN)/python -m tools.replay $(TOPIC) $(if $(FUNCTION),--function $(FUNCTION))

gaps: $(READY)  ## rewrite the list of recorded cases that still differ: [TOPIC=…]
	$(BIN)/python -m tools.replay $(TOPIC) --gaps --show 0

fuzz: $(READY)  ## random inputs on both engines: make fuzz FUNCTION=upper [N=5000] [REMOTE=…]
	$(BIN)/python -m tools.fuzz $(FUNCTION) --keep --rows $(or $(N),5000) $(if $(REMOTE),--remote $(REMOTE))

.PHONY: fuzz-all fuzz-missing fuzz-queries
fuzz-all: $(READY)  ## every native function on both engines, written down in tests/cases/fuzzed.txt: [N=1000] [REMOTE=…]
	$(BIN)/python -m tools.fuzz --all --rows $(or $(N),1000) $(if $(REMOTE),--remote $(REMOTE))

fuzz-missing: $(READY)  ## native functions that have not passed the fuzz
	$(BIN)/python -m tools.fuzz --missing

fuzz-queries: $(READY)  ## random queries on both engines: [N=200] [SEED=…] [REMOTE=…]
	$(BIN)/python -m tools.queries --count $(or $(N),200) $(if $(SEED),--seed $(SEED)) $(if $(REMOTE),--remote $(REMOTE))

.PHONY: functions
functions: $(READY)  ## write docs/reference/functions.md: every Spark function and the engine that answers it
	$(BIN)/python -m tools.functions

.PHONY: replay-all
replay-all: $(READY)  ## every recorded case in every mode, as a test (long)
	TWINSPARK_TEST_ALL_CASES=1 $(BIN)/python -m pytest tests/functions --timeout=3600

.PHONY: reasons
reasons: $(READY)  ## write docs/reference/reasons.md: every reason for falling back to Spark, with its code
	$(BIN)/python -m tools.reasons
