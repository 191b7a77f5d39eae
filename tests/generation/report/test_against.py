"""What one of two data sets lacks, and which suggestions masked LMs share, against plain counts of rows and traces."""

import json
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from generation import Options
from generation.pipeline import run_pipeline
from generation.report.against import MASKED_LMS, OPTIONS, TOO_FEW, is_validated, tables_against
from generation.report.explain import explain, filter_again
from generation.report.overlap import suggestion_overlaps
from generation.report.tables import report_tables
from merge_snli.dataset.record import TaggerRecord, generation_of
from merge_snli.dataset.stored import MergeDataset, read_split
from tests.commands import Command
from tests.generation.report.test_tables import dicts
from tests.oracles import refused
from tests.records import first_problems

WORDPIECE, BPE = "demo:mlm-wordpiece", "demo:mlm-bpe"
INFLATION = 14


class Made(NamedTuple):
    """Data sets of the same problems that share a work folder: both masked LMs, one of them, and another filter."""

    whole: MergeDataset
    without: MergeDataset
    strict: MergeDataset
    work: Path
    ids: tuple[str, ...]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("against")
    problems, work = first_problems(folder, 10), folder / "work"

    def make(name: str, mlm: tuple[str, ...], **options: Any) -> MergeDataset:  # noqa: ANN401 - options of any type
        chosen = Options(problems=str(problems), id_column="id", mlm=mlm, inflation=INFLATION, subsamples=1, **options)
        return run_pipeline(chosen, folder / name, work=work, quiet=True)

    return Made(
        make("whole", (WORDPIECE, BPE)),
        make("without", (BPE,)),
        make("strict", (WORDPIECE, BPE), min_log_odds=1.0),
        work,
        tuple(json.loads(line)["id"] for line in problems.read_text(encoding="utf-8").splitlines()),
    )


def key(row: dict[str, Any]) -> tuple[str, ...]:
    return row["seed_id"], row["word_class"], row["original"], row["replacement"]


def by_key(dataset: MergeDataset) -> dict[tuple[str, ...], dict[str, Any]]:
    return {key(row): row for row in read_split(dataset, "all").to_pylist()}


@pytest.mark.slow
def test_seeds_and_variants_match_a_plain_count(made: Made) -> None:
    a, b = by_key(made.whole), by_key(made.without)
    tables = tables_against(made.whole, made.without)
    for row in dicts(tables["seeds"]):
        first, second = ({variant[0] for variant in rows if row["config"] in ("all", variant[1])} for rows in (a, b))
        assert (row["A"], row["B"], row["both"]) == (len(first), len(second), len(first & second))
        assert (row["only A"], row["only B"]) == (len(first - second), len(second - first))
    overall = dicts(tables["variants"])[0]
    assert (overall["both"], overall["only A"]) == (len(a.keys() & b.keys()), len(a.keys() - b.keys()))


@pytest.mark.slow
def test_what_is_lost_without_a_masked_lm(made: Made) -> None:
    a, b = by_key(made.whole), by_key(made.without)
    only = [row for key, row in a.items() if key not in b]
    row = dicts(tables_against(made.whole, made.without)["only_a_by_masked_lm"])[0]
    assert (row["masked LM"], row["in B"]) == (WORDPIECE, "no")
    assert row["variants"] == sum(WORDPIECE in {*row["premise_mlms"], *row["hypothesis_mlms"]} for row in only)
    needed = [row for row in only if [WORDPIECE] in (row["premise_mlms"], row["hypothesis_mlms"])]
    assert row["need it"] == len(needed) > 0
    lost = {row["seed_id"] for row in only} - {seed_id for seed_id, *_ in b}
    assert row["seeds"] == row["seeds lost"] == len(lost) > 0


def test_every_missing_variant_has_a_reason(made: Made) -> None:
    a, b = by_key(made.whole), by_key(made.strict)
    only = [variant for variant in a if variant not in b]
    tables = tables_against(made.whole, made.strict, other_work=made.work)
    counted = {(row["reason"], row["masked LM"]): row["variants"] for row in dicts(tables["only_a_by_reason"])}
    expected: Counter[tuple[str, str | None]] = Counter()
    traced = {seed: explain(made.strict, seed, made.work) for seed in {seed for seed, *_ in only}}
    for variant in only:
        seed, word_class, original, replacement = variant
        word = next(w for w in traced[seed].words if (w.word.word_class, w.word.text) == (word_class, original))
        if replacement in {one.word for one in word.replacements}:
            expected[TOO_FEW] += 1
            continue
        failing = next(
            side
            for side in ("premise", "hypothesis")
            if not any(
                all(
                    replacement in form.suggestions
                    for form in word.forms
                    if (form.masked_lm, form.side) == (name, side)
                )
                for name in (WORDPIECE, BPE)
            )
        )
        expected["low log-odds", a[variant][f"{failing}_mlms"][0]] += 1
    assert counted == expected and sum(counted.values()) == len(only)
    assert dicts(tables["only_b_by_reason"]) == []


def test_reasons_without_a_work_folder(made: Made) -> None:
    assert {row["reason"] for row in dicts(tables_against(made.whole, made.strict)["only_a_by_reason"])} == {OPTIONS[0]}
    assert dicts(tables_against(made.whole, made.without)["only_a_by_reason"])[0]["reason"] == MASKED_LMS[0]
    assert "min_log_odds" in " ".join(tables_against(made.whole, made.strict)["only_a_by_reason"].notes)


@pytest.mark.slow
def test_shared_suggestions_are_those_of_the_traces(made: Made) -> None:
    words = [word for shard, _ in filter_again(made.whole, made.work) for word in shard]
    overlaps = suggestion_overlaps(words, (WORDPIECE, BPE))
    sentences: list[dict[str, set[tuple[int, str]]]] = []
    problems: list[dict[str, set[tuple[int, str]]]] = []
    for problem in made.ids:
        explanation = explain(made.whole, problem, made.work)
        replaced = [word for word in explanation.words if word.forms]
        of_side = {
            (name, side): {
                (number, filler.word)
                for number, word in enumerate(replaced)
                for form in word.forms
                if (form.masked_lm, form.side) == (name, side)
                for filler in explanation.fillers(form)
                if filler.dropped is None
            }
            for name, side in product((WORDPIECE, BPE), ("premise", "hypothesis"))
        }
        if replaced:
            names = WORDPIECE, BPE
            sentences += [{name: of_side[name, side] for name in names} for side in ("premise", "hypothesis")]
            problems.append({name: of_side[name, "premise"] | of_side[name, "hypothesis"] for name in names})
    for overlap, counted in ((overlaps["sentence"], sentences), (overlaps["problem"], problems)):
        both = [len(of_mlms[WORDPIECE] & of_mlms[BPE]) for of_mlms in counted]
        own = [len(of_mlms[WORDPIECE] - of_mlms[BPE]) for of_mlms in counted]
        assert overlap.shared[0, 1] == overlap.shared[1, 0] == pytest.approx(sum(both) / len(counted))
        assert overlap.shared[0, 0] == pytest.approx(sum(own) / len(counted))


def test_table_5_and_the_figure_as_the_paper_says(made: Made, tmp_path: Path, command: Command) -> None:
    tables, _ = report_tables(made.whole, made.work)
    assert [row["masked LM"] for row in dicts(tables["table_5"])] == [WORDPIECE, BPE]
    assert all(row["vocabulary"] > 1_000 for row in dicts(tables["table_5"]))
    assert "table_5" not in report_tables(made.whole)[0]
    arguments = ("--work", made.work, "--suggestions", "--format", "json", "--out", tmp_path / "figure.svg")
    printed = json.loads(command("tables", made.whole.folder, *arguments).out)
    assert {"figure_9_per_sentence", "figure_9_per_problem"} < printed.keys()
    assert "Suggestions per problem" in (tmp_path / "figure.svg").read_text(encoding="utf-8")


def test_command_and_its_errors(made: Made, tmp_path: Path, command: Command) -> None:
    whole, without = str(made.whole.folder), str(made.without.folder)
    assert (
        "Variants that only A has, by why B lacks them"
        in command("tables", whole, "--against", without, "--against-work", str(made.work)).out
    )
    for options, message in {
        ("--against-work", "x"): "--against-work needs --against",
        ("--against", without, "--suggestions"): "--suggestions is for one data set",
        ("--against", str(made.strict.folder), "--against-work", str(tmp_path)): "strict with --against-work",
        ("--against", str(made.strict.folder), "--work", "nope"): "whole with --work",
        ("--work", "nope"): "nope is not a folder",
        ("--work", str(tmp_path)): "does not contain answers",
        ("--suggestions",): "whole with --work",
        ("--suggestions", "--out", "figure.jpg"): "unknown format '.jpg'",
    }.items():
        assert message in command("tables", whole, *options, code=2).err
    assert list(tmp_path.iterdir()) == []


def test_another_tagger_is_refused(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "generation.report.explain.find_tagger", lambda *_, **__: generation_of(made.whole.record).tagger
    )
    object.__setattr__(generation_of(made.strict.record), "tagger", TaggerRecord("other", "1", "0" * 64))
    refused("not the one of the run, other 1", next, filter_again(made.strict, made.work))


@pytest.mark.parametrize(
    ("masked_lms", "sides", "min_mlms", "enough"),
    [
        ({"a"}, "intersection", 1, True),
        ({"b"}, "intersection", 1, False),
        ({"b"}, "union", 1, True),
        ({"a", "b"}, "union", 2, True),
        ({"a", "b"}, "intersection", 2, False),
    ],
)
def test_enough_masked_lms_for_a_variant(masked_lms: set[str], sides: str, min_mlms: int, enough: bool) -> None:
    assert is_validated((("a", "b"), ("a",)), masked_lms, sides=sides, min_mlms=min_mlms) == enough
