# The Flight SQL port beside the other two protocols.
.PHONY: flight-bench

flight-bench: $(READY)  ## 1 million rows and select 1 by Flight SQL, Thrift and Spark Connect, as ratios
	$(BIN)/python bench/flight.py
