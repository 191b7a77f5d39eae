"""Output: what a run gives, from a shard's rows to the data set's folder and the record of the run."""
