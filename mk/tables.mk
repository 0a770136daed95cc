ICEBERG_READER := $(abspath $(VENV)/iceberg-reader)
READER_COUNTS := $(VENV)/tables-reader.counts
STRESS_COUNTS := $(VENV)/tables-stress.counts
# What is killed, not what is unplugged: in memory, where there is some to hold it, syncing costs nothing.
STRESS_PLACE := $(shell test -w /dev/shm && echo --basetemp=/dev/shm/tables-stress)

tables-stress: $(READY)  ## tables under many writers and a thousand kills (25 minutes); counts go into docs/use/tables.md
	rm -f $(STRESS_COUNTS)
	TWINSPARK_TEST_STRESS=$(abspath $(STRESS_COUNTS)) $(BIN)/python -m pytest --timeout=3000 $(STRESS_PLACE) tests/tables_sql/failures/test_many_writers_and_crashes.py tests/tables/test_crashes.py
	$(BIN)/python tests/tables/stress_counts.py $(STRESS_COUNTS) docs/use/tables.md

tables-reader: $(READY)  ## all Iceberg tables of the suites, read by DuckDB 1.5.5's extension too; counts go into docs/use/tables.md
	test -x $(ICEBERG_READER)/bin/python || $(PYTHON) -m venv $(ICEBERG_READER)
	$(ICEBERG_READER)/bin/pip install -q duckdb==1.5.5 duckdb-extension-iceberg==1.5.5 duckdb-extension-avro==1.5.5
	rm -f $(READER_COUNTS)
	TWINSPARK_TEST_ICEBERG_READER=$(ICEBERG_READER)/bin/python TWINSPARK_TEST_ICEBERG_READER_COUNTS=$(abspath $(READER_COUNTS)) $(BIN)/python -m pytest -m "not spark and not attack" tests/tables tests/tables_sql
	$(BIN)/python tests/tables/reader_counts.py $(READER_COUNTS) docs/use/tables.md

tables-bench: $(READY)  ## what tables cost: partitioned CTAS, commits, planning, small appends
	$(BIN)/python bench/tables.py
