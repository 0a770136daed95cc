"""Functions for arrays, maps and structs, higher-order functions, and generators."""
