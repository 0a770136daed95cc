/* The registration tables of the sketches, for native.h. */
#pragma once
#define SKETCH_FUNCTION_TABLES(_) _(theta_functions) _(hll_functions) _(tuple_functions) _(kll_functions) _(count_min_functions) _(top_k_functions) _(histogram_functions)
#define SKETCH_AGGREGATE_TABLES(_) _(sketch_aggregates) _(theta_aggregates) _(hll_aggregates) _(tuple_aggregates) _(kll_aggregates) _(count_min_aggregates) _(top_k_aggregates)
