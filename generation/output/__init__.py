"""Output of a run: the data set's folder with its Parquet files, card and record.

Import `write_output`, `find_finished` and the word counts from `dataset`. `write_data` has the files.
"""
