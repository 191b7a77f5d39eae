"""The dataset card: `dataset_card.md` filled in from the record of a run and the first rows of its data.

Import `render_card` and `license_of` from here; `croissant` writes a Croissant file from the same facts.
"""

from merge_snli.card.license import license_of
from merge_snli.card.render import render_card

__all__ = ["license_of", "render_card"]
