BENCHED := duckdb,twinspark,sail,spark
.PHONY: bench bench-compare

bench: $(READY)  ## TPC-H on raw DuckDB, twinspark, Sail and Spark: seconds, ratios, plots -> docs/reference/benchmarks.md (ENGINES=…, SCALE=1)
	$(BIN)/python bench/tpch.py --scale $(or $(SCALE),1) --engines $(or $(ENGINES),$(BENCHED))
	$(BIN)/python bench/tpch_plots.py --results bench/results/tpch-sf$(or $(SCALE),1).json

.PHONY: bench-page
bench-page: $(READY)  ## draw the kept results of make bench again -> docs/reference/benchmarks.md and its pictures
	$(BIN)/python bench/tpch_plots.py

.PHONY: bench-guard
bench-guard: $(READY)  ## server CPU of cold queries over Sail's in the same run, against the kept ratios (WRITE=1 keeps them)
	$(BIN)/python bench/guard.py $(if $(WRITE),--write)

bench-compare: $(READY)  ## TPC-H answers of twinspark and Spark compared exactly (SCALE=1)
	$(BIN)/python bench/tpch_compare.py --scale $(or $(SCALE),1)

.PHONY: bench-functions
bench-functions: $(READY)  ## every measured function beside DuckDB's closest expression -> docs/reference/functions-speed.md (ROWS=10000000)
	$(BIN)/python bench/functions.py --rows $(or $(ROWS),10000000) --write docs/reference/functions-speed.md

.PHONY: bench-full
bench-full: $(READY)  ## every benchmark, one after the other: hours on a quiet machine (SCALE=1, TPCDS=1)
	$(MAKE) bench
	$(BIN)/python bench/tpcds.py $(or $(TPCDS),1)
	$(BIN)/python bench/small_queries.py
	$(BIN)/python bench/clients.py
	$(BIN)/python bench/growth.py
	$(BIN)/python bench/etl.py
	$(BIN)/python bench/tables.py
