"""Output of a run: the data set's folder with its Parquet files, card and record.

Import `write_output` and `find_finished` from `folder`, and the word counts from `record`. `write_data` has the files.
"""
