"""Reports on runs: tables and Figure 9 of the paper, comparisons of two data sets, and the trace of one problem.

Import the functions that the commands call from the modules: `tables`, `against`, `summary`, `explain`, `overlap`,
`inventory`.
"""
