"""The card of a data set: a template filled in from its record and the first rows of its data.

Import `render_card`, `load_name_of` and `license_of` from here.
"""

from merge_snli.card.metadata import license_of
from merge_snli.card.render import load_name_of, render_card

__all__ = ["license_of", "load_name_of", "render_card"]
