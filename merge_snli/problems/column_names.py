"""Usual names of the columns of the two texts and of the label, as `plain_name` returns them."""

from collections.abc import Iterable
from itertools import chain

from merge_snli.dataset.texts import NLI_COLUMNS, OTHER_NLI_COLUMNS, plain_name

# The columns of the two texts, tried in this order; those of NLI first.
TEXT_COLUMNS = (
    *NLI_COLUMNS,
    ("question1", "question2"),
    ("passage", "question"),
    ("evidence", "claim"),
    ("question", "sentence"),
    ("text1", "text2"),
)

# Other names of these columns, of which one pair may be there.
OTHER_TEXT_COLUMNS = (*OTHER_NLI_COLUMNS, ("texta", "textb"), ("document", "claim"), ("context", "statement"))

# The column of the gold label, tried in this order.
LABEL_COLUMNS = tuple(
    (name,)
    for name in ("label", "goldlabel", "entailmentlabel", "entailmentjudgment", "isduplicate", "answer", "score")
)

# Other names of this column, of which one may be there.
OTHER_LABEL_COLUMNS = tuple(
    (name,)
    for name in (
        *("correctedlabel", "judgment", "judgement", "gold", "relation", "annotation", "verdict", "class", "labels"),
        *("labeltext", "labelname", "textlabel", "category", "target"),
    )
)

USUAL_NAMES = frozenset(chain(*TEXT_COLUMNS, *OTHER_TEXT_COLUMNS, *LABEL_COLUMNS, *OTHER_LABEL_COLUMNS)) | {"id"}


def has_usual_name(columns: Iterable[str]) -> bool:
    """Return whether one of some columns has a usual name."""
    return any(plain_name(column) in USUAL_NAMES for column in columns)
