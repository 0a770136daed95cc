.PHONY: explain explain-check
explain: $(READY)  ## what the server would do with a statement: plans, SQL, engine, reasons (SQL='select …', ENGINE=auto)
	$(BIN)/twinspark explain --engine $(or $(ENGINE),auto) "$(SQL)"

explain-check: $(READY)  ## `twinspark explain` against real servers, with and without Spark, for every recorded plan, query and command
	TWINSPARK_TEST_EXPLAIN=all $(BIN)/python -m pytest tests/explain --timeout=1800
