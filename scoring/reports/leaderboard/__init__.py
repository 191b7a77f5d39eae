"""Results side by side: a page that needs nothing but a browser, or a table for a paper, a README or a program.

`boards` puts results together, `formats` writes them as text, `page` as a page; nothing here needs a model.
"""
