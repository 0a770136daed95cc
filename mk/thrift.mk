# The Thrift door and driver against clients and servers that nobody here wrote; each client has an environment of its own.
THRIFT := .data/thrift
.PHONY: thrift-clients thrift-matrix thrift-bench

$(THRIFT)/clients/.ready:
	$(PYTHON) -m venv $(THRIFT)/clients
	$(THRIFT)/clients/bin/pip install -q 'databricks-sql-connector>=4,<5' PyHive==0.7.0 impyla==0.24.0 thrift-sasl pure-sasl \
	  'sqlalchemy<2.1' pyarrow lz4 pandas
	touch $@

$(THRIFT)/clients3/.ready:
	$(PYTHON) -m venv $(THRIFT)/clients3
	$(THRIFT)/clients3/bin/pip install -q 'databricks-sql-connector>=3,<4'
	touch $@

$(THRIFT)/dbt/.ready:
	$(PYTHON) -m venv $(THRIFT)/dbt
	$(THRIFT)/dbt/bin/pip install -q 'dbt-core>=1.9,<1.10' 'dbt-spark[PyHive]>=1.9,<1.10'
	touch $@

thrift-clients: $(THRIFT)/clients/.ready $(THRIFT)/clients3/.ready $(THRIFT)/dbt/.ready  ## environments of PyHive, impyla, databricks-sql-connector, dbt-spark

thrift-matrix: $(READY) thrift-clients  ## codec x Apache Thrift, driver x Spark's own Thrift server, door x real clients
	$(BIN)/python -m pytest --timeout=900 tests/thrift/matrix/matrix_codec.py tests/thrift/matrix/matrix_driver.py tests/thrift/matrix/matrix.py \
	  tests/thrift/matrix/matrix_dbt.py

thrift-bench: $(READY) $(THRIFT)/clients/.ready  ## 1 million rows through every client and server, as ratios
	$(BIN)/python bench/thrift.py
