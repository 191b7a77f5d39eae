"""Run classifiers, masked LMs and causal LMs: inputs as arrays in batches of fixed shapes."""

# The name of this package among the versions that a data set records, and its version, which is part of the cache keys
# of answers and predictions. It is increased if the same inputs may get other last bits: with other padded lengths,
# numbers of rows, or kernels.
RUNNER, RUNNER_VERSION = "runner", "4"
