tables-stress: $(READY)  ## tables under many writers and a hundred kills (minutes)
	TWINSPARK_STRESS=1 $(BIN)/python -m pytest tests/tables_sql/test_many_writers_and_crashes.py tests/tables/test_crashes.py
