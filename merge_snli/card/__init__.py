"""The data set's card: `dataset_card.md` filled with what a run recorded and the first rows of its data."""

from merge_snli.card.license import license_of
from merge_snli.card.render import render_card

__all__ = ["license_of", "render_card"]
