"""Variants filtered by judgments: what is dropped and counted, stored, repeated by `validate`, and not asked again."""

import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from generation import Options
from generation.pipeline import run_pipeline
from generation.replacements.judged import GOOD_VARIANT, NOT_GOOD, NOT_JUDGED
from generation.report.explain import explain
from merge_snli.base.files import read_json, write_json
from merge_snli.cli import main
from merge_snli.dataset.record import generation_of
from merge_snli.dataset.record_file import as_json, read_record, seal
from merge_snli.dataset.stored import MergeDataset, find_dataset, read_split
from merge_snli.validation import validate
from tests.commands import Command
from tests.generation.test_seeds_from import options_in, options_with
from tests.oracles import missing_from, refused, rows_of

Scores = Mapping[str, tuple[int, int]]
ANNOTATION = "data/annotation/test.parquet"


class Made(NamedTuple):
    """A run without judgments, and how to repeat it with some."""

    options: Options
    plain: MergeDataset
    work: Path

    @property
    def ids(self) -> list[str]:
        return ids_of(self.plain)

    def again(self, out: Path, **choices: Any) -> MergeDataset:  # noqa: ANN401 - values of any option
        return run_pipeline(options_with(self.options, **choices), out, work=self.work, quiet=True)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("made")
    options = options_in(folder)
    return Made(options, run_pipeline(options, folder / "plain", work=folder / "work", quiet=True), folder / "work")


def ids_of(dataset: MergeDataset) -> list[str]:
    return list(map(str, read_split(dataset, "all")["variant_id"].to_pylist()))


def table(path: Path, scores: Mapping[str, Scores]) -> str:
    """Write the scores of each annotator as a table."""
    rows = []
    for name, of_annotator in scores.items():
        for key, (fluency, reasonable) in of_annotator.items():
            rows.append({"variant_id": key, "annotator": name, "F": fluency, "R": reasonable})
    pq.write_table(pa.Table.from_pylist(rows), path)
    return str(path)


@pytest.fixture
def filtered(made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., MergeDataset]:
    """Repeat the run with judgments; a masked LM that is asked is an error."""

    def run(scores: Mapping[str, Scores], name: str = "set", **choices: Any) -> MergeDataset:  # noqa: ANN401
        return made.again(tmp_path / name, judgments=table(tmp_path / f"{name}.parquet", scores), **choices)

    monkeypatch.setattr("generation.run.load_masked_lm", None)
    return run


@pytest.fixture(scope="module")
def judged(made: Made, tmp_path_factory: pytest.TempPathFactory) -> MergeDataset:
    """The run with the judgments of one model, who finds every third variant bad."""
    folder = tmp_path_factory.mktemp("judged")
    return made.again(folder / "set", judgments=table(folder / "set.parquet", {"model 1": by_number(made.ids)}))


@pytest.fixture
def dataset(judged: MergeDataset, tmp_path: Path) -> MergeDataset:
    """A copy that a test may change."""
    return find_dataset(str(shutil.copytree(judged.folder, tmp_path / "set")))


def group_of(variant_id: str) -> str:
    """Return seed and class."""
    return ":".join(variant_id.split(":")[:2])


def expected(ids: list[str], good: Callable[[str], bool], inflation: int = 2) -> list[str]:
    """The good variants of seeds and classes with enough of them, by a plain computation."""
    kept = [key for key in ids if good(key)]
    sizes = Counter(map(group_of, kept))
    return [key for key in kept if sizes[group_of(key)] >= inflation]


def by_number(ids: list[str]) -> Scores:
    """Every third variant is bad."""
    return {key: (5, 5) if number % 3 else (2, 5) for number, key in enumerate(ids)}


def test_the_good_variants_are_kept_and_drawn_from(made: Made, judged: MergeDataset) -> None:
    scores = by_number(made.ids)
    kept = expected(made.ids, lambda key: sum(scores[key]) >= 9)
    assert ids_of(judged) == kept
    assert 0 < len(kept) < len(made.ids)
    for number in range(2):
        drawn = read_split(judged, "all", f"subsample_{number}")["variant_id"].to_pylist()
        assert Counter(map(group_of, drawn)) == dict.fromkeys(map(group_of, kept), 2)
    record = generation_of(judged.record)
    bad = sum(sum(pair) < 9 for pair in scores.values())
    assert record.judged == {GOOD_VARIANT: len(scores) - bad, NOT_GOOD: bad, NOT_JUDGED: 0}
    dropped = 0
    for row, before in zip(record.filters, generation_of(made.plain.record).filters, strict=True):
        counts = dict(row.counts)
        dropped += counts.pop(NOT_GOOD, 0)
        assert replace(row, counts=counts) == before
    assert dropped == 2 * bad, "in the premise and in the hypothesis of one masked LM"
    assert validate(judged.folder).findings == ()


@pytest.mark.slow
def test_the_means_of_several_judges_count_and_the_limit_is_an_option(
    made: Made, filtered: Callable[..., MergeDataset]
) -> None:
    scores = {
        "a": {key: (5, 5) if number % 2 else (4, 4) for number, key in enumerate(made.ids)},
        "b": {key: (4, 5) if number % 3 else (3, 4) for number, key in enumerate(made.ids)},
    }

    def is_good(key: str) -> bool:
        return sum(scores["a"][key]) + sum(scores["b"][key]) >= 2 * 9.5

    dataset = filtered(scores, min_judged=9.5)
    assert ids_of(dataset) == expected(made.ids, is_good)
    assert validate(dataset.folder).findings == ()
    card = (dataset.folder / "README.md").read_text("utf-8")
    assert not missing_from(card, "`a`, `b`", "**Another limit of the judgments**")
    refused("no problem", filtered, scores, "set-10", min_judged=10)


def test_variants_without_a_judgment_are_dropped_and_counted_apart(
    made: Made, filtered: Callable[..., MergeDataset], caplog: pytest.LogCaptureFixture
) -> None:
    """The problem c has a shared word, but too few variants for a seed, so none of it is missing."""
    first, *ids, _ = made.ids
    others = {"zzz:noun:dog:cat": (5, 5), f"{first}x": (1, 1)}
    dataset = filtered({"model 1": {**dict.fromkeys(ids, (5, 4)), **others}})
    assert ids_of(dataset) == expected(made.ids, lambda key: key in ids)
    assert generation_of(dataset.record).judged == {GOOD_VARIANT: len(ids), NOT_GOOD: 0, NOT_JUDGED: 2}
    assert f"2 variants of {len(ids) + 2}" in caplog.text
    assert read_split(dataset, "annotation")["variant_id"].to_pylist() == sorted(ids)
    card = (dataset.folder / "README.md").read_text("utf-8")
    assert f"{len(ids)} judged good, 0 not judged good, 2 not judged" in card
    assert "**Another limit of the judgments**" not in card


def test_the_run_depends_on_the_judgments(made: Made, filtered: Callable[..., MergeDataset], tmp_path: Path) -> None:
    ids = made.ids
    scores = dict(by_number(made.ids))
    dataset = filtered({"model 1": scores})
    before = (dataset.folder / "run.json").read_bytes()
    moved = str(shutil.copy(tmp_path / "set.parquet", tmp_path / "moved.parquet"))
    made.again(dataset.folder, judgments=moved)
    assert (dataset.folder / "run.json").read_bytes() == before
    (dataset.folder / ANNOTATION).unlink()
    assert read_split(made.again(dataset.folder, judgments=moved), "annotation").num_rows == len(ids)
    scores[ids[1]] = (1, 1)
    refused("judgments", filtered, {"model 1": scores})
    refused("judgments", made.again, dataset.folder)


def test_the_stored_judgments_give_the_same_data_set(made: Made, judged: MergeDataset, tmp_path: Path) -> None:
    assert "judg" not in (made.plain.folder / "run.json").read_text("utf-8")
    again = made.again(tmp_path / "again", judgments=str(judged.folder / ANNOTATION))
    assert again.record.data == judged.record.data
    assert again.record.annotation == judged.record.annotation


def test_explain_names_what_the_judgments_dropped(made: Made, judged: MergeDataset, command: Command) -> None:
    dropped = set()
    for word in explain(judged, "a", made.work).as_dict()["words"]:
        of_word = f"a:{word['word']['word_class']}:{word['word']['text']}"
        for of_side in word["dropped"].get(NOT_GOOD, {}).values():
            dropped |= {f"{of_word}:{replacement}" for replacement in of_side}
    bad = {key for key, pair in by_number(made.ids).items() if sum(pair) < 9}
    assert dropped == {key for key in bad if key.startswith("a:")}
    printed = command("explain", judged.folder, "--seed-id", "a", "--work", made.work).out
    assert f"{NOT_GOOD} in the premise" in printed


@pytest.mark.parametrize(
    ("bad", "change", "message"),
    [
        (False, {"F": 1}, "{} is a variant of config all"),
        (True, {"F": 5}, "{} is not a variant of config all"),
        (False, None, "{} was not judged"),
    ],
    ids=["a variant that the judgments drop", "a variant that they keep", "a missing judgment"],
)
def test_validate_finds_judgments_that_do_not_fit(
    dataset: MergeDataset, bad: bool, change: dict[str, int] | None, message: str
) -> None:
    path = dataset.folder / ANNOTATION
    variants = ids_of(dataset)
    stored = pq.read_table(path)
    rows = stored.to_pylist()
    row = next(row for row in rows if (row["F"] + row["R"] < 9) == bad and (bad or row["variant_id"] in variants))
    rows.remove(row)
    if change:
        rows.append(row | change)
    pq.write_table(pa.Table.from_pylist(rows, stored.schema), path, compression="zstd")
    variant, problem = message.format(row["variant_id"]).split(" ", 1)
    found = [finding.message for finding in validate(dataset.folder).findings]
    assert any(variant in each and problem in each for each in found)


def test_validate_finds_a_record_without_its_judgments(dataset: MergeDataset) -> None:
    record = read_json(dataset.folder / "run.json")
    del record["generation"]["judgments"], record["generation"]["judged"]
    write_json(dataset.folder / "run.json", record)
    record = read_record(dataset.folder / "run.json")
    write_json(dataset.folder / "run.json", as_json(seal(record, (dataset.folder / "README.md").read_bytes())))
    assert any(finding.column == "generation.judgments" for finding in validate(dataset.folder).findings)


def test_scores_of_annotators_stay_beside_the_judgments(dataset: MergeDataset, tmp_path: Path) -> None:
    """Annotators who judge the filtered variants do not replace the judgments that filtered them."""
    before = read_split(dataset, "annotation")
    variant = ids_of(dataset)[0]
    for name, code in (("a1", 0), ("model 1", 2)):
        path = table(tmp_path / f"{name}.parquet", {name: {variant: (4, 4)}})
        assert main(["annotate", "apply", str(dataset.folder), path]) == code
    rows = rows_of(dataset.folder, "annotation")
    assert [row for row in rows if row["annotator"] == "model 1"] == before.to_pylist()
    assert [row["variant_id"] for row in rows if row["annotator"] == "a1"] == [variant]
    assert validate(dataset.folder).findings == ()
