"""Make the tables and figures of the paper again, and compare every number with the printed one.

Import from the modules: `plan` chooses what to make, `stages` makes it, `write` has the page.
"""
