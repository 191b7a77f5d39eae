"""The data set's card: `dataset_card.md` filled with what a run recorded and the first rows of its data."""

from merge_snli.card.license import licence
from merge_snli.card.render import render_card

__all__ = ["licence", "render_card"]
