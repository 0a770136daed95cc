BOTH := auto,duckdb
.PHONY: conformance conformance-parity conformance-golden

conformance: $(READY)  ## PySpark's own doctests, in auto and duckdb mode -> docs/contribute/conformance.md (ONLY='column …')
	$(BIN)/python conformance/run.py doctests --engines $(or $(ENGINES),$(BOTH)) $(ONLY)

conformance-parity: $(READY)  ## PySpark's own Connect tests; needs SPARK_REPO, a git copy of apache/spark (ONLY='test_parity_column …')
	$(BIN)/python conformance/run.py parity --engines $(or $(ENGINES),$(BOTH)) $(ONLY)

conformance-golden: $(READY)  ## Spark's SQL golden files; needs SPARK_REPO (ONLY='group-by subquery/* …')
	$(BIN)/python conformance/run.py golden --engines $(or $(ENGINES),$(BOTH)) $(ONLY)

.PHONY: clients
clients: $(READY)  ## PySpark clients 3.5, 4.0, 4.1, 4.2, 4.3, each in its own environment: a smoke suite (ENGINE=auto)
	$(BIN)/python conformance/clients.py --engine $(or $(ENGINE),duckdb) $(ONLY)

.PHONY: faults
faults: $(READY)  ## the fault tests with a stream of one gigabyte, cut again and again
	TWINSPARK_TEST_STREAM_ROWS=64000000 $(BIN)/python -m pytest tests/doors/test_faults.py --timeout=1200
