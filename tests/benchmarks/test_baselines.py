"""The baselines use the features that their names say, and the script scores them."""

import sys
from pathlib import Path

import pytest

from benchmarks.baselines import baselines, main, overlaps, training_pairs
from merge_snli.pairs.options import SimplePairOptions
from merge_snli.pairs.simple_pair import make_simple_pair
from tests.records import bundled

PAIRS = [(f"The {noun} sleeps.", f"A {noun} {end}.") for noun in ("cat", "dog", "cow") for end in ("sleeps", "runs")]
LABELS = ["entailment", "contradiction"] * 3
SHIPPED = Path(__file__).parents[2] / "merge_snli"


def test_overlap_is_the_share_of_words_in_the_other_sentence() -> None:
    assert overlaps([("The old cat sleeps.", "A cat SLEEPS"), ("", "…")]).tolist() == [[2 / 3, 2 / 4, 4, 3], [0] * 4]


def test_each_baseline_uses_its_features_only() -> None:
    fitted = baselines([*PAIRS, PAIRS[0]], [*LABELS, "entailment"])
    assert fitted["majority class"](PAIRS) == ["entailment"] * 6
    assert fitted["hypothesis only"]([("Unrelated text.", hypothesis) for _, hypothesis in PAIRS]) == LABELS
    assert fitted["word overlap"](PAIRS) == LABELS


@pytest.mark.parametrize(("config", "results"), [("adj", "*.json"), ("simple", "*-simple.json")])
def test_the_script_scores_all_baselines(
    config: str, results: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = SHIPPED
    if config == "simple":
        dataset = make_simple_pair(tmp_path / "pairs", SimplePairOptions(premises=4)).folder
    named = {"train": bundled("demo:problems"), "dataset": dataset, "config": config, "out": tmp_path / "out"}
    options = [text for name, value in named.items() for text in (f"--{name}", str(value))]
    monkeypatch.setattr(sys, "argv", ["baselines", *options])
    main()
    printed = capsys.readouterr().out
    assert all(name in printed for name in ("majority class", "hypothesis only", "word overlap"))
    assert len(list((tmp_path / "out").glob(results))) == 3


def test_the_problems_are_the_pairs_to_train_on() -> None:
    pairs, labels = training_pairs(str(bundled("demo:problems")))
    assert (len(pairs), set(labels)) == (569, {"entailment", "neutral", "contradiction"})
