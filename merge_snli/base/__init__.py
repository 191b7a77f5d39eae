"""What all other packages build on.

Import from the modules: `stages`.
"""
