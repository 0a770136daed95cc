# The C extension under sanitizers: its tests, and a fuzz target for each family of functions.
.PHONY: sanitize fuzz-native fuzz-native-replay fuzz-native-count fuzz-native-keep

sanitize: $(READY)  ## tests/native with the extension built by gcc with ASan and UBSan (ONLY='tests/native tests/functions …')
	$(BIN)/python tests/native/fuzz/sanitize.py $(ONLY)

FUZZ = nice -n 19 $(BIN)/python tests/native/fuzz/fuzz.py --seconds $(or $(SECONDS),10) $(if $(FAMILIES),--families $(FAMILIES))

fuzz-native: $(READY)  ## libFuzzer over every family of native functions (SECONDS=10 for each, FAMILIES='regex json …'; needs clang)
	$(FUZZ)

fuzz-native-replay: $(READY)  ## the kept inputs of every family under sanitizers, nothing random
	$(BIN)/python tests/native/fuzz/fuzz.py --replay

fuzz-native-count: $(READY)  ## the same; all inputs so far are counted in docs/contribute/native.md
	$(FUZZ) --document docs/contribute/native.md

fuzz-native-keep: $(READY)  ## the same; the corpora in tests/native/fuzz/corpora are packed again
	$(FUZZ) --keep
