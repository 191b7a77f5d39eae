"""The answers of a finished run, read and filtered again: suggestions that masked LMs share, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from generation import Options
from generation.report.explain import explain
from generation.report.overlap import suggestion_overlap
from generation.report.read_again import filter_again
from generation.report.tables import report_tables, table_5
from merge_snli.dataset.record import TaggerRecord
from merge_snli.dataset.stored import MergeDataset
from tests.commands import Command
from tests.generation.report.test_tables import dicts
from tests.oracles import refused
from tests.records import changed

WORDPIECE, BPE = "demo:mlm-wordpiece", "demo:mlm-bpe"


@pytest.mark.slow
def test_shared_suggestions_are_those_of_the_traces(made: MergeDataset, options: Options, work: Path) -> None:
    words = [word for shard in filter_again(made, work) for word in shard]
    shared = suggestion_overlap(words, (WORDPIECE, BPE)).shared
    lines = Path(str(options.problems)).read_text(encoding="utf-8").splitlines()
    suggested: dict[str, dict[str, set[tuple[str, str]]]] = {}
    for problem in (json.loads(line)["id"] for line in lines):
        explanation = explain(made, problem, work)
        for word in explanation.words:
            for form in word.forms:
                kept = {(word.word.text, each.word) for each in explanation.fillers(form) if each.dropped is None}
                suggested.setdefault(problem, {WORDPIECE: set(), BPE: set()})[form.masked_lm] |= kept
    both = sum(len(of_mlms[WORDPIECE] & of_mlms[BPE]) for of_mlms in suggested.values())
    own = sum(len(of_mlms[WORDPIECE] - of_mlms[BPE]) for of_mlms in suggested.values())
    assert shared[0, 1] == shared[1, 0] == pytest.approx(both / len(suggested))
    assert shared[0, 0] == pytest.approx(own / len(suggested))


def test_table_5_and_the_figure_as_the_paper_says(
    made: MergeDataset, work: Path, tmp_path: Path, command: Command
) -> None:
    tables, _ = report_tables(made, work)
    first, second = dicts(tables["table_5"])
    assert first["masked LM"] == WORDPIECE
    assert second["vocabulary"] > 1_000
    assert table_5(made, tmp_path) is None
    arguments = ("--work", work, "--suggestions", "--format", "json", "--out", tmp_path / "figure.svg")
    printed = command("tables", made.folder, *arguments).json
    assert "figure_9_per_problem" in printed
    assert "Suggestions per problem" in (tmp_path / "figure.svg").read_text(encoding="utf-8")


def test_folders_that_cannot_be_read_again_are_named(
    made: MergeDataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    for options, message in {
        ("--work", "nope"): "nope is not a folder",
        ("--work", "."): "does not contain answers",
        ("--suggestions", "--out", "figure.jpg"): "unknown format '.jpg'",
    }.items():
        assert message in command("tables", made.folder, *options, code=2).err
    assert list(tmp_path.iterdir()) == []


def test_another_tagger_is_refused(made: MergeDataset, work: Path) -> None:
    other = replace(made, record=changed(made.record, tagger=TaggerRecord("other", "1", "0" * 64)))
    refused("not the one of the run, other 1", next, filter_again(other, work))
