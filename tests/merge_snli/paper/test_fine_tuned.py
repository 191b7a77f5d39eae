"""Tests of the groups of variants by the masked LMs that validated them."""

from __future__ import annotations

import pytest

from merge_snli.base.errors import InputError
from merge_snli.comparison.scored_dataset import NotComputable
from merge_snli.models.paper_models import ALBERT, BERT, PAPER_MODELS, PAPER_NAMES
from merge_snli.paper.fine_tuned import ARCH, EQUIV, MULTI, SIZE, check_counterparts, fine_tuned, group_masks
from tests.merge_snli.comparison.made import rows_of, scored_dataset

BERT_B_S = "textattack/bert-base-uncased-snli"
MASKED_LMS = (*BERT, ALBERT[0])


def test_counterparts_of_the_papers_models_have_their_architecture_and_size() -> None:
    counterparts = {model.paper_name: PAPER_NAMES[model.masked_lm] for model in PAPER_MODELS if model.masked_lm}
    assert all(name.startswith(f"{masked_lm}-") for name, masked_lm in counterparts.items())
    in_the_paper = {"BERT-B-S", "BERT-L-S", "RoBERTa-B-S", "RoBERTa-L-SMFA", "Electra-L-SMFA", "ALBERT-XXL-SMFA"}
    assert set(counterparts) == in_the_paper | {"BART-B-S", "BART-L-SMFA"}  # the paper excluded BART


def test_groups_are_those_of_table_9() -> None:
    made = scored_dataset(
        [
            *rows_of("s1", "e", masked_lms=(BERT[0],)),
            *rows_of("s1", "e", masked_lms=(BERT[1],)),
            *rows_of("s1", "e", masked_lms=(ALBERT[0],)),
            *rows_of("s1", "e", masked_lms=BERT),
        ],
        masked_lms=MASKED_LMS,
    )
    validated_by = made.variants_by("masked_lm")
    groups = {name: mask.nonzero()[0].tolist() for name, mask in group_masks(validated_by, BERT[0]).items()}
    assert groups == {EQUIV: [0], SIZE: [1], ARCH: [2], MULTI: [3]}
    groups = {name: mask.nonzero()[0].tolist() for name, mask in group_masks(validated_by, ALBERT[0]).items()}
    assert groups == {EQUIV: [2], SIZE: [], ARCH: [0, 1], MULTI: [3]}


def test_seeds_with_few_variants_are_left_out_and_counted() -> None:
    made = scored_dataset(
        [
            *rows_of("s1", ["ee"] * 4 + ["ne"], masked_lms=(BERT[0],), subsamples=(0, 1)),
            *rows_of("s2", ["ee"] * 4, masked_lms=(BERT[0],)),
            *rows_of("s2", ["ee"], masked_lms=(BERT[0],), subsamples=()),  # not drawn
            *rows_of("s2", ["nn"] * 5, masked_lms=(ALBERT[0],)),
        ],
        models=(BERT_B_S, "other"),
        masked_lms=MASKED_LMS,
    )
    found = fine_tuned(made)
    assert found.masked_lms == {BERT_B_S: BERT[0]}
    assert [(row["group"], row["variants"], row["variants_per_subsample"]) for row in found.groups] == [
        (EQUIV, 9, (9 + 5) / 2),
        (SIZE, 0, 0),
        (ARCH, 5, 2.5),
        (MULTI, 0, 0),
    ]
    assert [(row["seeds"], row["seeds_left_out"]) for row in found.groups] == [(1, 1), (0, 0), (1, 0), (0, 0)]
    assert [row["pattern_accuracy"] for row in found.groups] == pytest.approx(
        [0, float("nan"), 0, float("nan")], nan_ok=True
    )
    curves = found.curves
    assert set(curves) == {EQUIV, ARCH}
    assert (curves[EQUIV].at(0.8), curves[EQUIV].at(0.9), curves[EQUIV].seeds) == (1, 0, 1)
    both = fine_tuned(made, {"other": BERT[1]})
    assert both.masked_lms == {BERT_B_S: BERT[0], "other": BERT[1]}
    assert {group: curve.models for group, curve in both.curves.items()} == {
        EQUIV: (BERT_B_S,),
        SIZE: ("other",),
        ARCH: (BERT_B_S, "other"),
    }


def test_without_a_counterpart_the_option_is_named() -> None:
    made = scored_dataset(rows_of("s1", "e"))
    with pytest.raises(NotComputable, match=r"Figure 7 .*\(mlm\).*--fine-tuned-from MODEL=MLM"):
        fine_tuned(made)
    with pytest.raises(NotComputable, match=r"Figure 7"):
        fine_tuned(made, {"a": "elsewhere"})


@pytest.mark.parametrize(
    ("counterparts", "named"), [({"x": "mlm"}, "x is not a scored model"), ({"a": "y"}, "y is not a masked LM")]
)
def test_unknown_names_are_refused(counterparts: dict[str, str], named: str) -> None:
    made = scored_dataset(rows_of("s1", "e"))
    check_counterparts([made], {"a": "mlm"})
    with pytest.raises(InputError, match=named):
        check_counterparts([made], counterparts)
