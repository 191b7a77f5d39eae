"""The explorer of seeds, variants and answers: a page to look at, and tidy tables to compute with."""
