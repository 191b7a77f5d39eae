"""Output of a run: the data set's folder with its Parquet files, card and record.

Import `write_output` and `find_finished` from `dataset`. `write_data` has the files.
"""
