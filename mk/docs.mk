# The documentation site, and the page of settings that is made from the program.
.PHONY: docs settings

docs: $(READY)  ## the documentation site in site/, a warning is an error; read it with python -m http.server -d site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

settings: $(READY)  ## write docs/reference/settings.md: every option, limit and setting
	$(BIN)/python -m tools.settings
