.PHONY: sql-record

sql-record: $(READY)  ## ask a real Spark the queries of tests/sql_queries again: make sql-record REMOTE=sc://host:port [TOPIC=groups]
	$(BIN)/python tests/sql_queries/record_sql.py $(REMOTE) $(TOPIC)
