"""Replacements: from answers through the filters and the set operations to variants and draws."""
