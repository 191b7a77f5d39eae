"""Variants filtered by judgments: what is dropped and counted, stored, repeated by `validate`, and not asked again."""

from __future__ import annotations

import json
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
from generation.report.against import TOO_FEW, tables_against
from generation.report.explain import explain
from merge_snli.base.errors import InputError
from merge_snli.base.files import write_json
from merge_snli.cli import main
from merge_snli.dataset.record import as_json, generation_of, read_record, seal
from merge_snli.dataset.stored import MergeDataset, find_dataset, read_split
from merge_snli.validation import validate
from tests.generation.test_seeds_from import options_in, options_with

Scores = Mapping[str, tuple[int, int]]
ANNOTATION = "data/annotation/test.parquet"


class Made(NamedTuple):
    """A run without judgments, and how to repeat it with some."""

    options: Options
    plain: MergeDataset
    work: Path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("made")
    options = options_in(folder)
    return Made(options, run_pipeline(options, folder / "plain", work=folder / "work", quiet=True), folder / "work")


def ids_of(dataset: MergeDataset) -> list[str]:
    return list(map(str, read_split(dataset, "all")["variant_id"].to_pylist()))


def table(path: Path, scores: Mapping[str, Scores]) -> str:
    """Write the scores of each annotator as a table."""
    rows = [
        {"variant_id": key, "annotator": name, "F": pair[0], "R": pair[1]}
        for name, of_annotator in scores.items()
        for key, pair in of_annotator.items()
    ]
    pq.write_table(pa.Table.from_pylist(rows), path)
    return str(path)


@pytest.fixture
def filtered(made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., MergeDataset]:
    """Repeat the run with judgments; a masked LM that is asked is an error."""

    def run(scores: Mapping[str, Scores], name: str = "set", **choices: Any) -> MergeDataset:  # noqa: ANN401
        given = options_with(made.options, judgments=table(tmp_path / f"{name}.parquet", scores), **choices)
        return run_pipeline(given, tmp_path / name, work=made.work, quiet=True)

    monkeypatch.setattr("generation.run.load_masked_lm", None)
    return run


def expected(ids: list[str], good: Callable[[str], bool], inflation: int) -> list[str]:
    """The good variants of seeds and classes with enough of them, by a plain computation."""
    kept = [key for key in ids if good(key)]
    sizes = Counter(tuple(key.split(":")[:2]) for key in kept)
    return [key for key in kept if sizes[tuple(key.split(":")[:2])] >= inflation]


def by_number(ids: list[str]) -> Scores:
    """Every third variant is bad."""
    return {key: (5, 5) if number % 3 else (2, 5) for number, key in enumerate(ids)}


def test_the_good_variants_are_kept_and_drawn_from(made: Made, filtered: Callable[..., MergeDataset]) -> None:
    ids = ids_of(made.plain)
    scores = by_number(ids)
    dataset = filtered({"model 1": scores})
    kept = expected(ids, lambda key: sum(scores[key]) >= 9, 2)
    assert ids_of(dataset) == kept
    assert 0 < len(kept) < len(ids)
    for number in range(2):
        drawn = read_split(dataset, "all", f"subsample_{number}")["variant_id"].to_pylist()
        sizes = Counter(tuple(key.split(":")[:2]) for key in drawn)
        assert set(sizes.values()) == {2}
        assert set(sizes) == {tuple(key.split(":")[:2]) for key in kept}
    record = generation_of(dataset.record)
    assert record.judged == {
        GOOD_VARIANT: sum(sum(pair) >= 9 for pair in scores.values()),
        NOT_GOOD: sum(sum(pair) < 9 for pair in scores.values()),
        NOT_JUDGED: 0,
    }
    counts = Counter[str]()
    for row in record.filters:
        counts.update(row.counts)
    assert counts[NOT_GOOD] == 2 * record.judged[NOT_GOOD]  # in the premise and in the hypothesis of one masked LM
    plain = generation_of(made.plain.record).filters
    without = [
        replace(row, counts={name: n for name, n in row.counts.items() if name != NOT_GOOD}) for row in record.filters
    ]
    assert without == [*plain]
    assert validate(dataset.folder).findings == ()


def test_the_means_of_several_judges_count_and_the_limit_is_an_option(
    made: Made, filtered: Callable[..., MergeDataset]
) -> None:
    ids = ids_of(made.plain)
    first: Scores = {key: (5, 5) if number % 2 else (4, 4) for number, key in enumerate(ids)}
    second: Scores = {key: (4, 5) if number % 3 else (3, 4) for number, key in enumerate(ids)}
    means = {key: (sum(first[key]) + sum(second[key])) / 2 for key in ids}
    for limit in (8.5, 9, 9.5):
        dataset = filtered({"a": first, "b": second}, f"set-{limit}", min_judged=limit)
        assert ids_of(dataset) == expected(ids, lambda key, limit=limit: means[key] >= limit, 2)  # type: ignore[misc]
        assert validate(dataset.folder).findings == ()
        card = (dataset.folder / "README.md").read_text("utf-8")
        assert "`a`, `b`" in card
        assert ("**Another limit of the judgments**" in card) == (limit != 9)
    with pytest.raises(InputError, match="no problem"):
        filtered({"a": first, "b": second}, "set-10", min_judged=10)


def test_variants_without_a_judgment_are_dropped_and_counted_apart(
    made: Made, filtered: Callable[..., MergeDataset], caplog: pytest.LogCaptureFixture
) -> None:
    """The problem c has a shared word, but too few variants for a seed, so none of it is missing."""
    ids = ids_of(made.plain)
    unjudged = {ids[0], ids[-1]}
    scores = {key: (5, 4) for key in ids if key not in unjudged} | {"zzz:noun:dog:cat": (5, 5), f"{ids[0]}x": (1, 1)}
    dataset = filtered({"model 1": scores})
    assert ids_of(dataset) == expected(ids, lambda key: key not in unjudged, 2)
    judged = {GOOD_VARIANT: len(ids) - 2, NOT_GOOD: 0, NOT_JUDGED: 2}
    assert generation_of(dataset.record).judged == judged
    assert f"2 variants of {len(ids)}" in caplog.text
    assert read_split(dataset, "annotation")["variant_id"].to_pylist() == sorted(set(ids) - unjudged)
    assert f"{len(ids) - 2} judged good, 0 not judged good, 2 not judged" in (dataset.folder / "README.md").read_text()


def test_the_run_depends_on_the_judgments(made: Made, filtered: Callable[..., MergeDataset], tmp_path: Path) -> None:
    ids = ids_of(made.plain)
    scores = dict(by_number(ids))
    dataset = filtered({"model 1": scores})
    before = (dataset.folder / "run.json").read_bytes()
    moved = shutil.copy(tmp_path / "set.parquet", tmp_path / "moved.parquet")
    options = options_with(made.options, judgments=str(moved))
    assert run_pipeline(options, dataset.folder, work=made.work, quiet=True).folder == dataset.folder
    assert (dataset.folder / "run.json").read_bytes() == before
    (dataset.folder / ANNOTATION).unlink()
    run_pipeline(options, dataset.folder, work=made.work, quiet=True)
    assert read_split(dataset, "annotation").num_rows == len(ids)
    scores[ids[1]] = (1, 1)
    with pytest.raises(InputError, match="judgments"):
        filtered({"model 1": scores})
    assert ids[1] not in ids_of(filtered({"model 1": scores}, "other"))
    assert ids_of(filtered({"model 1": scores}, "other")) != ids_of(dataset)
    plain = options_with(made.options)
    with pytest.raises(InputError, match="judgments"):
        run_pipeline(plain, dataset.folder, work=made.work, quiet=True)


def test_a_run_without_judgments_has_none_in_its_record(made: Made) -> None:
    assert "judg" not in (made.plain.folder / "run.json").read_text("utf-8")


def test_the_stored_judgments_give_the_same_data_set(
    made: Made, filtered: Callable[..., MergeDataset], tmp_path: Path
) -> None:
    dataset = filtered({"model 1": by_number(ids_of(made.plain))})
    options = options_with(made.options, judgments=str(dataset.folder / ANNOTATION))
    again = run_pipeline(options, tmp_path / "again", work=made.work, quiet=True)
    assert again.record.data == dataset.record.data
    assert again.record.annotation == dataset.record.annotation


def test_explain_names_what_the_judgments_dropped(
    made: Made, filtered: Callable[..., MergeDataset], capsys: pytest.CaptureFixture[str]
) -> None:
    scores = by_number(ids_of(made.plain))
    dataset = filtered({"model 1": scores})
    bad = {key for key, pair in scores.items() if sum(pair) < 9}
    for seed in ("a", "b"):
        words = explain(dataset, seed, made.work).as_dict()["words"]
        dropped = {
            f"{seed}:{word['word']['word_class']}:{word['word']['text']}:{replacement}"
            for word in words
            for of_side in word["dropped"].get(NOT_GOOD, {}).values()
            for replacement in of_side
        }
        assert dropped == {key for key in bad if key.startswith(f"{seed}:")}
    assert main(["explain", str(dataset.folder), "--seed-id", "a", "--work", str(made.work)]) == 0
    assert f"{NOT_GOOD} in the premise" in capsys.readouterr().out


def test_the_comparison_of_two_runs_names_what_the_judgments_dropped(
    made: Made, filtered: Callable[..., MergeDataset]
) -> None:
    scores = by_number(ids_of(made.plain))
    dataset = filtered({"model 1": scores})
    missing, bad = set(ids_of(made.plain)) - set(ids_of(dataset)), {key for key in scores if sum(scores[key]) < 9}
    table = tables_against(made.plain, dataset, other_work=made.work)["only_a_by_reason"]
    expected_counts = {NOT_GOOD: len(missing & bad), TOO_FEW[0]: len(missing - bad)}
    assert {row[0]: row[2] for row in table.rows} == {why: number for why, number in expected_counts.items() if number}


@pytest.fixture
def dataset(made: Made, filtered: Callable[..., MergeDataset]) -> MergeDataset:
    return filtered({"model 1": by_number(ids_of(made.plain))})


def change(dataset: MergeDataset, edit: Callable[[list[dict[str, Any]]], object]) -> list[str]:
    """Edit the stored judgments, make the record fit them, and return what `validate` finds."""
    path = dataset.folder / ANNOTATION
    stored = pq.read_table(path)
    rows = stored.to_pylist()
    edit(rows)
    pq.write_table(pa.Table.from_pylist(rows, stored.schema), path, compression="zstd")
    return [f"{finding.file} {finding.column} {finding.message}" for finding in validate(dataset.folder).findings]


def test_validate_finds_a_variant_that_the_judgments_drop(dataset: MergeDataset) -> None:
    variant = ids_of(dataset)[0]
    findings = change(dataset, lambda rows: [row.update(F=1) for row in rows if row["variant_id"] == variant])
    assert any(variant in finding and "is a variant of config all" in finding for finding in findings)
    assert any("generation.judged" in finding for finding in findings)


def test_validate_finds_a_variant_that_the_judgments_keep(dataset: MergeDataset) -> None:
    bad = next(row for row in read_split(dataset, "annotation").to_pylist() if row["F"] + row["R"] < 9)["variant_id"]
    findings = change(dataset, lambda rows: [row.update(F=5) for row in rows if row["variant_id"] == bad])
    assert any(bad in finding and "is not a variant of config all" in finding for finding in findings)


def test_validate_finds_missing_judgments(dataset: MergeDataset) -> None:
    variant = ids_of(dataset)[0]
    findings = change(dataset, lambda rows: rows.remove(next(row for row in rows if row["variant_id"] == variant)))
    assert any(variant in finding and "was not judged" in finding for finding in findings)
    (dataset.folder / ANNOTATION).unlink()
    assert any(finding.file == ANNOTATION for finding in validate(dataset.folder).findings)


def test_validate_finds_a_record_without_its_judgments(dataset: MergeDataset) -> None:
    record = json.loads((dataset.folder / "run.json").read_text("utf-8"))
    del record["generation"]["judgments"], record["generation"]["judged"]
    write_json(dataset.folder / "run.json", record)
    record = read_record(dataset.folder / "run.json")
    write_json(dataset.folder / "run.json", as_json(seal(record, (dataset.folder / "README.md").read_bytes())))
    assert any(finding.column == "generation.judgments" for finding in validate(dataset.folder).findings)


def test_scores_of_annotators_stay_beside_the_judgments(dataset: MergeDataset, tmp_path: Path) -> None:
    """Annotators who judge the filtered variants do not replace the judgments that filtered them."""
    before = read_split(dataset, "annotation")
    variant = ids_of(dataset)[0]
    path = table(tmp_path / "second.parquet", {"a1": {variant: (4, 4)}})
    assert main(["annotate", "apply", str(dataset.folder), path]) == 0
    rows = read_split(find_dataset(str(dataset.folder)), "annotation").to_pylist()
    assert [row for row in rows if row["annotator"] == "model 1"] == before.to_pylist()
    assert [row["variant_id"] for row in rows if row["annotator"] == "a1"] == [variant]
    assert validate(dataset.folder).findings == ()
    path = table(tmp_path / "third.parquet", {"model 1": {variant: (4, 4)}})
    assert main(["annotate", "apply", str(dataset.folder), path]) == 2
