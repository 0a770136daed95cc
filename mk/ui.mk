.PHONY: pictures
pictures: $(READY)  ## take the pictures of docs/operate/ui.md in Chromium
	mkdir -p docs/pictures
	TWINSPARK_TEST_PICTURES=$(CURDIR)/docs/pictures $(BIN)/python -m pytest tests/ui/test_web_browser.py -k pictures
