.PHONY: hunt hunt-metamorphic

hunt: $(READY)  ## foreign queries on a real Spark and on the native engine -> docs/contribute/exactness.md: [ONLY=hive,scala] [COUNT=200] [SEED=1] [REMOTE=…] [CACHED=1]
	nice -n 10 $(BIN)/python -m tools.hunt --keep --count $(or $(COUNT),200) --seed $(or $(SEED),1) $(if $(ONLY),--only $(ONLY)) $(if $(REMOTE),--remote $(REMOTE)) $(if $(CACHED),--cached)

hunt-metamorphic: $(READY)  ## two ways to ask the native engine for the same rows, without a Spark -> docs/contribute/exactness.md: [ROUNDS=400] [SEED=1]
	nice -n 10 $(BIN)/python -m tools.hunt --keep --metamorphic $(or $(ROUNDS),400) --seed $(or $(SEED),1)
