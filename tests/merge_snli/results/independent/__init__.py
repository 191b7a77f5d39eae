"""The numbers of a report, computed with plain pandas from result files and Parquet, without `merge_snli.paper`."""
