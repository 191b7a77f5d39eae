"""What all other packages build on.

Import from the modules: `stages`.
"""

__version__ = "0.1.0"
