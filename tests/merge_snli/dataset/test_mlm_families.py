"""The families of masked LMs and the paper's names for their members."""

from __future__ import annotations

from merge_snli.dataset.mlm_families import FAMILIES, PAPER_MLMS, PAPER_NAMES, family


def test_every_member_of_a_family_has_a_name() -> None:
    members = [name for group in FAMILIES for name in group]
    assert len(set(members)) == len(members)
    assert PAPER_NAMES.keys() == set(members) > set(PAPER_MLMS)
    assert len(set(PAPER_NAMES.values())) == len(PAPER_NAMES)
    assert PAPER_NAMES["google-bert/bert-base-cased"] == "BERT-B"


def test_family_holds_the_masked_lm_itself() -> None:
    assert family("facebook/bart-base") == ("facebook/bart-base", "facebook/bart-large")
    assert family("mine") == ("mine",)
