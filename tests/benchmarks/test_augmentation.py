"""The tables of fine-tuned models: rows per model, means over seeds, and the accuracy of each family."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from benchmarks.augmentation import main, overview, predicted_labels, relevance
from merge_snli import score
from merge_snli.dataset.stored import read_split
from merge_snli.pairs.options import SimplePairOptions
from merge_snli.pairs.simple_pair import make_simple_pair
from merge_snli.results.store import read_results
from tests.oracles import BUNDLED, missing_from

pytestmark = pytest.mark.slow

Answer = Callable[[Sequence[tuple[str, str]]], list[str]]


def neutral_unless(word: str) -> Answer:
    """Return a function that predicts contradiction for hypotheses with a word, otherwise neutral."""
    return lambda pairs: ["contradiction" if word in hypothesis.split() else "neutral" for _, hypothesis in pairs]


MODELS = {"always-seed-1": "no such word", "always-seed-2": "is", "not": "not"}
"""A word that makes each model predict contradiction, by name; "is" stands in N-is-A hypotheses."""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of functions on Simple Pair, and of one on the shipped MERGE data set."""
    folder = tmp_path_factory.mktemp("augmentation")
    make_simple_pair(folder / "simple_pair", SimplePairOptions(premises=8))
    for name, word in MODELS.items():
        for config, by in (("simple", ()), ("conjunction", ()), ("relevance", ("template+relevance",))):
            score(neutral_unless(word), folder / "simple_pair", config=config, by=by, out=folder / "results", name=name)
    score(neutral_unless("not"), BUNDLED, config="adj", out=folder / "results", name="not")
    return folder / "results"


def rows_of(results: Path, table: Callable[..., object]) -> dict[str, dict[str, object]]:
    return {row["Model"]: row for row in table(read_results(results)).as_dict()["rows"]}  # type: ignore[attr-defined]


def test_seeds_of_a_model_are_one_row_and_families_are_apart(results: Path) -> None:
    rows = rows_of(results, overview)
    assert rows.keys() == {"always", "not"}
    assert rows["always"]["Runs"] == 2
    assert rows["always"]["simple: N-is-A"] == "50.0 ± 70.7"
    assert rows["always"]["simple: SVO"] == "100.0 ± 0.0"
    assert rows["always"]["PA(0.9)"] is None
    assert rows["not"]["Runs"] == 1
    assert rows["not"]["conjunction: SVO"] == "50.0"
    assert rows["not"]["extended_simple"] is None
    assert rows["not"]["PA(0.9)"] is not None
    of_families = rows_of(results, relevance)
    assert of_families["always"]["SVO: irrelevant"] == "100.0 ± 0.0 (+0.0)"
    assert of_families["not"]["N-is-A: relevant"] == "50.0 (+0.0)"


def test_change_from_simple_is_on_the_same_premises(tmp_path: Path) -> None:
    data = make_simple_pair(tmp_path / "simple_pair", SimplePairOptions(premises=8))
    shared = {row["premise"] for row in read_split(data, "relevance", "test").to_pylist()}

    def wrong_on_shared_premises_of_simple(pairs: Sequence[tuple[str, str]]) -> list[str]:
        is_wrong = [premise in shared and len(hypothesis.split()) < 8 for premise, hypothesis in pairs]
        return ["contradiction" if wrong else "neutral" for wrong in is_wrong]

    assert len(shared) == 2 * 2
    out = tmp_path / "results"
    score(wrong_on_shared_premises_of_simple, data.folder, config="simple", out=out, name="m")
    by = ("template+relevance",)
    alone = score(wrong_on_shared_premises_of_simple, data.folder, config="relevance", by=by, out=out, name="m")
    assert rows_of(out, overview)["m"]["simple: SVO"] == "75.0"
    assert rows_of(out, relevance)["m"]["SVO: relevant"] == "100.0 (+100.0)"
    assert relevance([alone]).as_dict()["rows"][0]["SVO: relevant"] == "100.0"


def test_predicted_labels_are_shown_by_hypothesis_for_each_premise(results: Path) -> None:
    tables = list(predicted_labels(read_results(results)))
    assert len(tables) == 2 + 8
    simple = {row["Model"]: row for row in tables[0].as_dict()["rows"]}
    assert simple["not"]["n2_is_a1"] == "0 / 100 / 0"
    assert simple["not"]["n2_is_not_a1"] == "0 / 0 / 100"
    assert simple["always"]["n2_is_a1"] == "0 / 50 / 50"


def test_the_script_prints_markdown(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["augmentation", str(results)])
    main()
    printed = capsys.readouterr().out
    assert not missing_from(printed, "| always | 2 |", "Table 2")
