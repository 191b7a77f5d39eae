"""The report of `merge-snli analyse`: a page, figures, tables and every number of the analyses of section 5."""
