"""The leaderboard of results: an offline HTML page, or a table as Markdown, LaTeX, CSV or JSON.

Import `write_leaderboard` from `write`.
"""
