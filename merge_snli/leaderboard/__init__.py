"""The leaderboard of results: an offline HTML page, or a table as Markdown, LaTeX, CSV or JSON.

Import `write_leaderboard` from `write`; `space` and `submissions` are for a Space that others submit results to.
"""
