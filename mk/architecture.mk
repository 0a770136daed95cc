.PHONY: architecture
architecture: $(READY)  ## write the generated parts of docs/contribute/architecture.md: rooms, passes, the trace of a query
	$(BIN)/python -m tools.architecture

.PHONY: readme
readme: $(READY)  ## write README.md's numbers from the files that functions, conformance and bench wrote
	$(BIN)/python -m tools.readme_numbers
