# Wheels, and what a new user meets: environments that have nothing but a wheel, machines without a compiler or Java.
.PHONY: wheel install-check

wheel: $(READY)  ## wheels in dist/, this machine's installed into an empty environment and tried (PLATFORMS='linux_amd64 linux_arm64 osx_arm64')
	$(BIN)/python -m tools.wheel $(PLATFORMS)

install-check: $(READY)  ## the wheel with and without Spark, and the demo on a machine without C compiler and Java
	$(BIN)/python -m pytest -m install tests/install
