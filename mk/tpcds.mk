.PHONY: tpcds tpcds-data tpcds-record

tpcds-data: $(READY)  ## TPC-DS data at a small scale, made by a DuckDB of its own: the everyday suite then asks a part
	$(BIN)/python tests/tpcds/tpcds_data.py

tpcds: $(READY)  ## TPC-DS natively, all queries, against Spark's recorded answers (SCALE=0.01 or 0.1; SPARK_REPO: Spark's own variants too)
	$(BIN)/python tests/tpcds/tpcds_data.py $(SCALE)
	TWINSPARK_TEST_TPCDS=all TWINSPARK_TEST_TPCDS_SCALE=$(or $(SCALE),0.01) $(BIN)/python -m pytest --timeout=900 tests/tpcds

tpcds-record: $(READY)  ## ask a real Spark TPC-DS again; needs SPARK_REPO, and REMOTE=sc://host:port
	TWINSPARK_TEST_TPCDS_SCALE=$(or $(SCALE),0.01) $(BIN)/python tests/tpcds/tpcds_answers.py $(REMOTE)
