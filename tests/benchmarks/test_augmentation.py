"""The tables of fine-tuned models: rows per model, means over seeds, and the accuracy of each family."""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from benchmarks.augmentation import main, mean_and_deviation, overview, predicted_labels, relevance
from merge_snli import score
from merge_snli.dataset.stored import read_split
from merge_snli.pairs.options import SimplePairOptions
from merge_snli.pairs.simple_pair import make_simple_pair
from merge_snli.results.store import read_results
from tests.oracles import missing_from

pytestmark = pytest.mark.slow

Answer = Callable[[Sequence[tuple[str, str]]], list[str]]
SHIPPED = Path(__file__).parents[2] / "merge_snli"


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
    score(neutral_unless("not"), SHIPPED, config="adj", out=folder / "results", name="not")
    return folder / "results"


def rows_of(results: Path, table: Callable[..., object]) -> dict[str, dict[str, object]]:
    return {row["Model"]: row for row in table(read_results(results)).as_dict()["rows"]}  # type: ignore[attr-defined]


def assert_cells(row: Mapping[str, object], expected: Mapping[str, object]) -> None:
    assert {name: row[name] for name in expected} == expected


def test_seeds_of_a_model_are_one_row_and_families_are_apart(results: Path) -> None:
    rows = rows_of(results, overview)
    assert set(rows) == {"always", "not"}
    always = {"Runs": 2, "simple: N-is-A": "50.0 ± 70.7", "simple: SVO": "100.0 ± 0.0", "PA(0.9)": None}
    assert_cells(rows["always"], always)
    halves = [f"{config}: {family}" for config in ("simple", "conjunction") for family in ("N-is-A", "SVO")]
    assert_cells(rows["not"], {"Runs": 1, "extended_simple": None, **dict.fromkeys(halves, "50.0")})
    assert rows["not"]["PA(0.9)"] is not None


def test_relevance_is_shown_by_family(results: Path) -> None:
    rows = rows_of(results, relevance)
    expected = {"SVO: irrelevant": "100.0 ± 0.0 (+0.0)", "N-is-A: relevant": "50.0 ± 70.7 (+0.0)"}
    assert_cells(rows["always"], expected)
    assert_cells(rows["not"], dict.fromkeys(expected, "50.0 (+0.0)"))


def test_change_from_simple_is_on_the_same_premises(tmp_path: Path) -> None:
    data = make_simple_pair(tmp_path / "simple_pair", SimplePairOptions(premises=8))
    shared = {row["premise"] for row in read_split(data, "relevance", "test").to_pylist()}

    def wrong_on_shared_premises_of_simple(pairs: Sequence[tuple[str, str]]) -> list[str]:
        is_wrong = [premise in shared and len(hypothesis.split()) < 8 for premise, hypothesis in pairs]
        return ["contradiction" if wrong else "neutral" for wrong in is_wrong]

    assert len(shared) == 2 * 2
    for config in ("simple", "relevance"):
        by = ("template+relevance",) if config == "relevance" else ()
        score(wrong_on_shared_premises_of_simple, data.folder, config=config, by=by, out=tmp_path / "results", name="m")
    assert rows_of(tmp_path / "results", overview)["m"]["simple: SVO"] == "75.0"
    assert rows_of(tmp_path / "results", relevance)["m"]["SVO: relevant"] == "100.0 (+100.0)"
    [alone] = [each for each in read_results(tmp_path / "results") if each.dataset.config == "relevance"]
    assert relevance([alone]).as_dict()["rows"][0]["SVO: relevant"] == "100.0"


def test_predicted_labels_are_shown_by_hypothesis_for_each_premise(results: Path) -> None:
    tables = list(predicted_labels(read_results(results)))
    assert len(tables) == 2 + 8
    simple = {row["Model"]: row for row in tables[0].as_dict()["rows"]}
    assert_cells(simple["not"], {"n2_is_a1": "0 / 100 / 0", "n2_is_not_a1": "0 / 0 / 100"})
    assert_cells(simple["always"], {"n2_is_a1": "0 / 50 / 50"})


def test_the_script_prints_markdown(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["augmentation", str(results)])
    main()
    printed = capsys.readouterr().out
    assert not missing_from(printed, "| always | 2 |", "Table 2")


@pytest.mark.parametrize(("values", "cell"), [([0.5], "50.0"), ([0.4, 0.6], "50.0 ± 14.1"), ([], None)])
def test_one_run_has_no_deviation(values: list[float], cell: str | None) -> None:
    assert mean_and_deviation(values) == cell
