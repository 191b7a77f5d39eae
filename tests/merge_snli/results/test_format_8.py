"""Results that revision 522e72ab wrote are read by every later version of format 8; files of `format_8/` never change.

They are results on the bundled data: of classifiers on a config (one with the source, one of drawn variants in a dtype
that is no longer offered) and on a part; of a language model with two prompts; of imported answers to some seeds; and
of a classifier on pairs in groups.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from merge_snli import Result, compare, read_answers, read_results
from merge_snli.base.files import read_json
from merge_snli.leaderboard.tables import FORMATS
from merge_snli.leaderboard.write import leaderboard_text
from merge_snli.results.store import read_result, to_json
from tests.oracles import missing_from

FOLDER = Path(__file__).parent / "format_8"
# Config, seeds or groups, rows and PA(0.9) of each result, by title.
WRITTEN = {
    "demo:nli-a (adj)": (13, 165, 11 / 13),
    "demo:nli-b (int8) (adj)": (13, 165, 12 / 13),
    "imported (adj)": (11, 143, 14 / 110),
    "demo:nli-b (all)": (5, 60, 0.8),
    "tiny-lm (plain, ranked) (adj)": (5, 50, 0.4),
    "tiny-lm (letter, ranked) (adj)": (5, 50, 0.2),
    "demo:nli-a (None)": (6, 77, 5 / 6),
}


@pytest.fixture(scope="module")
def results() -> list[Result]:
    return read_results(FOLDER)


def test_all_are_read(results: list[Result]) -> None:
    assert {f"{result.title} ({result.dataset.config})" for result in results} == {*WRITTEN}
    for result in results:
        groups, rows, accuracy = WRITTEN[f"{result.title} ({result.dataset.config})"]
        assert (result.scores.groups, result.scores.rows) == (groups, rows)
        assert result.pattern_accuracy == pytest.approx(accuracy)


def test_the_number_of_one_subsample_was_stored_as_0(results: list[Result]) -> None:
    [drawn] = [result for result in results if result.dataset.partial and result.dataset.partial.subsample == 3]
    stored = pq.read_table(next(FOLDER.glob("demo-nli-b*-all.parquet")))["subsamples"].drop_null().to_pylist()
    now = drawn.table["subsamples"].drop_null().to_pylist()
    assert {*map(tuple, stored)} == {(0,)}
    assert {*map(tuple, now)} == {(3,)}
    assert drawn.counts().sizes.sum() == len(now)


def known_to(written: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Return the entries that were there when a file was written, also of the objects in it."""
    found = {}
    for name, value in written.items():
        found[name] = known_to(value, now[name]) if isinstance(value, dict) else now[name]
    return found


def test_entries_are_as_they_were_written(results: list[Result]) -> None:
    for path, result in zip(sorted(FOLDER.glob("*.json")), results, strict=True):
        written = read_json(path)
        now = to_json(read_result(path))
        assert known_to(written, now) == written
        assert sum(result.counted.counts.sizes[0]) <= result.scores.rows


def test_pages_and_tables_show_them(results: list[Result]) -> None:
    for file_format in ("html", *FORMATS):
        text = leaderboard_text(results, file_format)
        assert not missing_from(text, "demo:nli-a", "imported", "tiny-lm")
    assert {each.title for each in compare(results)} >= {"MERGE on its bundled problems, config adj"}
    assert len(read_answers(FOLDER)) == sum(len(result.table) for result in results)


# A later version, in which scores have one more number with the default None.
LATER = """
import sys
from dataclasses import dataclass

import merge_snli.results.scores as defined

@dataclass(frozen=True)
class Scores(defined.Scores):
    all_correct: float | None = None

defined.Scores = Scores

import merge_snli.results.measure as measure

scores = measure.scores

def with_one_more(answers, **options):
    counts = answers.counts()
    found = vars(scores(answers, **options)) | {"all_correct": float((counts.correct == counts.sizes).mean())}
    return Scores(**found)

measure.scores = with_one_more

from merge_snli import read_results, score
from merge_snli.leaderboard.write import leaderboard_text

results = read_results(sys.argv[1])
assert all(result.scores.all_correct is None for result in results)
new = score(lambda pairs: [0] * len(pairs), "demo:dataset", config="adj", out=sys.argv[2])
[again] = read_results(sys.argv[2])
assert again.scores.all_correct == new.scores.all_correct is not None
leaderboard_text([*results, again], "html")
"""


@pytest.mark.slow
def test_a_later_version_with_one_more_number_reads_them(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LATER, str(FOLDER), str(tmp_path / "out")]
    subprocess.run(command, check=True)
