# Every target sets up what it needs; bare `make` lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.DEFAULT_GOAL := help
.PHONY: help setup demo test check serve

help:  ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

$(READY): pyproject.toml setup.py constraints.txt $(wildcard src/twinspark/duck/native/*/*.[ch] src/twinspark/functions/notation/*.txt)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q -c constraints.txt pyspark-client  # before pyspark, which owns the same folder and must write last
	$(BIN)/pip install -q -c constraints.txt -e '.[dev]'
	touch $@

setup: $(READY)  ## create .venv, install everything, build the DuckDB extension

demo: $(READY)  ## a real PySpark pipeline on the embedded engine, checked against Spark
	$(BIN)/python demo/run.py

test: $(READY)  ## the everyday suite, in two processes (WORKERS=2)
	$(BIN)/python -m pytest -n $(or $(WORKERS),2)

check: $(READY)  ## ruff, mypy strict, room order
	$(BIN)/ruff check src tests bench demo conformance tools
	$(BIN)/ruff format --check src tests bench demo conformance tools
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/test_rooms.py

serve: $(READY)  ## start the endpoint on sc://localhost:15002
	$(BIN)/twinspark serve

-include mk/*.mk
