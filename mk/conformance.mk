.PHONY: conformance conformance-parity conformance-golden

conformance: $(READY)  ## PySpark's own doctests, in auto and duckdb mode -> docs/conformance.md (ONLY='column …')
	$(BIN)/python conformance/run.py doctests --engines $(or $(ENGINES),auto,duckdb) $(ONLY)

conformance-parity: $(READY)  ## PySpark's own Connect tests; needs SPARK_REPO, a git copy of apache/spark (ONLY='test_parity_column …')
	$(BIN)/python conformance/run.py parity --engines $(or $(ENGINES),auto,duckdb) $(ONLY)

conformance-golden: $(READY)  ## Spark's SQL golden files; needs SPARK_REPO (ONLY='group-by subquery/* …')
	$(BIN)/python conformance/run.py golden --engines $(or $(ENGINES),auto,duckdb) $(ONLY)
