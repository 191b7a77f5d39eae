"""Reports over results: tables, comparisons, figures and the leaderboard."""
