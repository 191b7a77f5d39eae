"""The answers of a finished run, read and filtered again: suggestions that masked LMs share, and what is refused."""

import json
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

from generation import Options
from generation.pipeline import run_pipeline
from generation.report.explain import explain
from generation.report.overlap import suggestion_overlaps
from generation.report.read_again import filter_again
from generation.report.tables import report_tables
from merge_snli.dataset.record import TaggerRecord, generation_of
from merge_snli.dataset.stored import MergeDataset
from tests.commands import Command
from tests.generation.report.test_tables import dicts
from tests.oracles import refused
from tests.records import first_problems

WORDPIECE, BPE = "demo:mlm-wordpiece", "demo:mlm-bpe"


class Made(NamedTuple):
    """A data set of both bundled masked LMs, its work folder, and the ids of its problems."""

    whole: MergeDataset
    work: Path
    ids: tuple[str, ...]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("again")
    problems = first_problems(folder, 10)
    options = Options(problems=str(problems), id_column="id", mlm=(WORDPIECE, BPE), inflation=14, subsamples=1)
    work = folder / "work"
    whole = run_pipeline(options, folder / "whole", work=work, quiet=True)
    lines = problems.read_text(encoding="utf-8").splitlines()
    return Made(whole, work, tuple(json.loads(line)["id"] for line in lines))


@pytest.mark.slow
def test_shared_suggestions_are_those_of_the_traces(made: Made) -> None:
    words = [word for shard in filter_again(made.whole, made.work) for word in shard]
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


def test_folders_that_cannot_be_read_again_are_named(made: Made, tmp_path: Path, command: Command) -> None:
    for options, message in {
        ("--work", "nope"): "nope is not a folder",
        ("--work", str(tmp_path)): "does not contain answers",
        ("--suggestions",): "whole with --work",
        ("--suggestions", "--out", "figure.jpg"): "unknown format '.jpg'",
    }.items():
        assert message in command("tables", made.whole.folder, *options, code=2).err
    assert list(tmp_path.iterdir()) == []


def test_another_tagger_is_refused(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    tagger = generation_of(made.whole.record).tagger
    monkeypatch.setattr("merge_snli.models.tagger.find_tagger", lambda *_, **__: tagger)
    object.__setattr__(generation_of(made.whole.record), "tagger", TaggerRecord("other", "1", "0" * 64))
    refused("not the one of the run, other 1", next, filter_again(made.whole, made.work))
