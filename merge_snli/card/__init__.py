"""The card of a data set: a template filled in from its record and the first rows of its data.

Import `render_card` and `license_of` from here.
"""

from merge_snli.card.metadata import license_of
from merge_snli.card.render import render_card

__all__ = ["license_of", "render_card"]
