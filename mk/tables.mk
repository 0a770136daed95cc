ICEBERG_READER := $(VENV)/iceberg-reader

tables-stress: $(READY)  ## tables under many writers and a thousand kills (half an hour)
	TWINSPARK_STRESS=1 $(BIN)/python -m pytest --timeout=3000 tests/tables_sql/test_many_writers_and_crashes.py tests/tables/test_crashes.py

tables-reader: $(READY)  ## another reader of Iceberg agrees with ours: DuckDB 1.5.5's extension, in its own environment
	test -x $(ICEBERG_READER)/bin/python || $(PYTHON) -m venv $(ICEBERG_READER)
	$(ICEBERG_READER)/bin/pip install -q duckdb==1.5.5 duckdb-extension-iceberg==1.5.5 duckdb-extension-avro==1.5.5
	TWINSPARK_ICEBERG_READER=$(ICEBERG_READER)/bin/python $(BIN)/python -m pytest tests/tables/test_independent_reader.py

tables-bench: $(READY)  ## what tables cost: partitioned CTAS, commits, planning, small appends
	$(BIN)/python bench/tables.py
