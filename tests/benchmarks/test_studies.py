"""Sentences of the docs on the studies of filters, computed again from the scores of the annotators."""

import csv
from collections import defaultdict
from pathlib import Path

import pytest

from benchmarks import readable_variants

FOLDER = Path(readable_variants.__file__).parent
ROOT = FOLDER.parent
TEXT = " ".join((ROOT / "docs" / "filters.md").read_text(encoding="utf-8").split())


def rows_of(study: str) -> list[dict[str, str]]:
    with (FOLDER / f"{study}_study.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_tests_of_the_veto() -> None:
    strict, first = readable_variants.veto_tests().rows
    assert strict == ("strict", "105 of 140", "76 of 140", 0, "0.0004")
    assert first == ("first", "77 of 100", "73 of 111", 11, "0.09")
    assert "Fisher's exact test of 105 of 140 against 76 of 140: p = 0.0004" in TEXT
    assert "77 of 100 that the veto kept were good, and 73 of 111" in TEXT
    assert "11 variants are in both, Fisher's p of 0.09" in TEXT


def test_labels_are_kept_nearly_always() -> None:
    presets = [min(int(row["R_a1"]), int(row["R_a2"])) for row in rows_of("preset")]
    by_variant: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for row in rows_of("strict"):
        by_variant[row["source"], row["variant_id"]].append(int(row["R"]))
    assert {len(scores) for scores in by_variant.values()} == {2}
    of_veto = list(map(min, by_variant.values()))
    for scores, share in ((presets, 0.981), (of_veto, 0.961)):
        assert sum(score >= 4 for score in scores) / len(scores) == pytest.approx(share, abs=0.0005)
    assert f"98.1% of the {len(presets):,} variants" in TEXT
    assert f"96.1% of the {len(of_veto)} of the study" in TEXT
