"""The masked LMs of the paper by family, with their names in its tables (arXiv:2510.24295, Table 5)."""

from __future__ import annotations

from collections.abc import Mapping

BERT = ("google-bert/bert-base-cased", "google-bert/bert-large-cased")
ROBERTA = ("FacebookAI/roberta-base", "FacebookAI/roberta-large")
ALBERT = ("albert/albert-base-v2", "albert/albert-xxlarge-v2")
ELECTRA = ("google/electra-base-generator", "google/electra-large-generator")
BART = ("facebook/bart-base", "facebook/bart-large")

FAMILIES = (BERT, ROBERTA, ALBERT, ELECTRA, BART)
"""Masked LMs grouped by architecture; the members of a family differ in size, the smaller one first. Table 9 does not
compare members of one family with each other, and Figure 7 has a group of its own for the other size."""

PAPER_MLMS = (*BERT, *ROBERTA, *ALBERT, *ELECTRA)
"""The masked LMs that generated the paper's data set: all families except BART."""

PAPER_NAMES: Mapping[str, str] = {
    **dict(zip(BERT, ("BERT-B", "BERT-L"), strict=True)),
    **dict(zip(ROBERTA, ("RoBERTa-B", "RoBERTa-L"), strict=True)),
    **dict(zip(ALBERT, ("ALBERT-B", "ALBERT-XXL"), strict=True)),
    **dict(zip(ELECTRA, ("Electra-B", "Electra-L"), strict=True)),
    **dict(zip(BART, ("BART-B", "BART-L"), strict=True)),
}
"""The paper's name of each masked LM, by Hub id."""


def family(masked_lm: str) -> tuple[str, ...]:
    """Return the masked LMs of the same family, including `masked_lm`.

    Args:
        masked_lm: A Hub id or another name of a masked LM.

    Returns:
        The family's Hub ids; only `masked_lm` if it is not one of the paper's.
    """
    return next((members for members in FAMILIES if masked_lm in members), (masked_lm,))
