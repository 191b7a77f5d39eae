"""Reports on a run: the paper's Tables 2, 4, 6 and 9 and Figure 9 of a data set, and the trace of one problem.

Import the functions that the commands call from the modules: `tables`, `words`, `composition`, `explain`, `overlap`.
"""
