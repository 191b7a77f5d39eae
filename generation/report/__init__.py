"""Reports on runs: tables and Figure 9 of the paper, the trace of one problem, and the estimate of a run.

Import the functions that the commands call from the modules: `tables`, `summary`, `overlap`, `explain`, `seed_list`,
`estimate`, `inventory`.
"""
