"""The report of `merge-snli analyze`: a page, figures, tables and every number of the analyses of section 5."""
