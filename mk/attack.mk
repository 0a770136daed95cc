ATTACK_COUNTS := $(VENV)/attack.counts
ATTACK_MINUTES := 60
.PHONY: attack

attack: $(READY)  ## hostile clients, values, workers and kills against real servers (at most MINUTES=60); counts go into docs/operate/security.md
	rm -f $(ATTACK_COUNTS)
	TWINSPARK_TEST_ATTACK=$(abspath $(ATTACK_COUNTS)) timeout --kill-after=60 $(or $(MINUTES),$(ATTACK_MINUTES))m \
	  $(BIN)/python -m pytest -m attack --timeout=900 tests
	$(BIN)/python tests/tables/stress_counts.py $(ATTACK_COUNTS) docs/operate/security.md "make attack"
