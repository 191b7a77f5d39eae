"""Reports on results: comparisons, figures and the leaderboard.

Import `comparison`, `comparison_text`, `figures` and `leaderboard.write` from outside.
"""
