"""The leaderboard of results: an offline HTML page, or a table as Markdown, LaTeX, CSV or JSON.

Import `write.write_leaderboard` from outside, or `boards`, `formats` and `page` for the texts alone.
"""
