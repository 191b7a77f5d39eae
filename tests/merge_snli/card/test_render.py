"""The card: its metadata is valid for the Hub, its numbers are those of the run, and no data are parsed as markup."""

import re
from dataclasses import fields, replace
from html import unescape
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from huggingface_hub import DatasetCard
from markdown_it import MarkdownIt

from generation.filters.definitions import FILTERS, METHOD_OPTIONS, FilterOptions
from generation.filters.filter import Filter
from generation.options import Options, departures
from merge_snli.base.option import described, option_types
from merge_snli.card import license_of, load_name_of, render_card
from merge_snli.dataset.record import Record, TermsRecord, generation_of
from merge_snli.dataset.stored import find_dataset, read_split
from merge_snli.schema import ALL, SEED, columns, data_file, data_version, splits
from merge_snli.validation.card import check_card
from merge_snli.validation.findings import Collector
from tests.oracles import BUNDLED, known, missing_from, refused
from tests.records import changed, copy_bundled

DATASET = find_dataset(str(BUNDLED))


RECORD = DATASET.record


def with_options(**options: object) -> Record:
    return replace(RECORD, options=RECORD.options | options)


CARD = render_card(RECORD, BUNDLED)
METADATA = yaml.safe_load(str(DatasetCard(CARD).data))


def test_card_and_metadata_of_the_shipped_data_set() -> None:
    assert not re.search(r"\{[{%]", CARD)
    assert (BUNDLED / "README.md").read_text(encoding="utf-8") == CARD
    assert METADATA["size_categories"] == ["1K<n<10K"]
    assert 1_000 < RECORD.configs["all"].rows < 10_000
    assert (METADATA["license"], METADATA["source_datasets"]) == ("apache-2.0", ["original"])
    assert [config["config_name"] for config in METADATA["configs"]] == ["all", "noun", "verb", "adj", "seed"]
    assert [config["config_name"] for config in METADATA["configs"] if config.get("default")] == ["all"]
    for config in METADATA["configs"]:
        name = config["config_name"]
        paths = {file["split"]: file["path"] for file in config["data_files"]}
        assert paths == {split: data_file(name, split) for split in splits(name)}
    assert all("splits" not in info for info in METADATA["dataset_info"])


def test_data_version() -> None:
    first, second = (data_version(digest * 64) for digest in "ab")
    assert first != second and all(number.isdigit() for number in first.split("."))
    assert len(first.split(".")) == 3
    assert yaml.safe_load(f"version: {first}") == {"version": first}


def test_numbers_and_columns() -> None:
    generation = generation_of(RECORD)
    for config, of in RECORD.test_configs.items():
        assert f"| {config} | {of.groups:,} | {of.rows:,} |" in CARD
    for word_class, counts in generation.words.items():
        assert f"| {word_class} | {counts.problems:,} |" in CARD
    assert f"{generation.problems.with_label:,} with a gold label" in CARD
    assert not missing_from(CARD, *(mlm.digest[:12] for mlm in generation.masked_lms))
    assert "`top_k=200` `random_seed=0`" in CARD and "limit=" not in CARD
    for config in ("all", "seed"):
        names = [line.split("`")[1] for line in column_rows(CARD, config)]
        assert names == [column.name for column in columns(config, RECORD.options["classes"])]


def column_rows(card: str, config: str) -> list[str]:
    """Return the rows of the table of columns of `all` or `seed`."""
    start = {"all": "Variants, with the one above", "seed": "Seed problems (config `seed`)"}[config]
    _, _, *rows = card.partition(start)[2].partition("\n\n")[2].partition("\n\n")[0].splitlines()
    return rows


def test_examples_are_escaped(tmp_path: Path) -> None:
    text = "a | `b`\nc <i> " + "d" * 200
    for config in ("seed", "all"):
        row: dict[str, object] = dict.fromkeys((column.name for column in columns(config)), text)
        if config == "all":
            row |= {"premise_mlms": ["a"], "hypothesis_mlms": ["a"], "log_odds": 1.0, "label": 0}
        path = tmp_path / data_file(config, "test")
        path.parent.mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist([row]), path)
    rows = column_rows(render_card(RECORD, tmp_path), "seed")
    assert len(rows) == len(columns("seed"))
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 5 for row in rows)


MARKUP = "<img src=x onerror=alert(1)> [a](javascript:b) **c** _d_ `e` ``f`` | g\n\n# h"


def test_what_others_wrote_is_no_markup() -> None:
    """Titles, texts, file names, kept columns, masked LMs and taggers."""
    generation = generation_of(RECORD)
    mlms = tuple(replace(mlm, name=f"{MARKUP} {mlm.name}") for mlm in generation.masked_lms)
    tagger = replace(generation.tagger, name=MARKUP, version=MARKUP)
    record = replace(
        with_options(problems=f"{MARKUP}.jsonl", split=MARKUP, premise_column="<b>", keep_column=[MARKUP]),
        title=MARKUP,
        generation=replace(generation, masked_lms=mlms, tagger=tagger),
    )
    before, after = (rendered(card) for card in (CARD, render_card(record, BUNDLED)))
    for tag in ("img", "a", "h1", "h2", "i", "b", "em", "strong", "pre", "table", "tr", "td"):
        assert len(re.findall(f"<{tag}[ >]", after)) == len(re.findall(f"<{tag}[ >]", before)), tag
    assert unescape(after).count("<img src=x onerror=alert(1)>") >= 6


def rendered(card: str) -> str:
    text = card.split("---\n", 2)[2]
    return str(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))


DIFFERING: dict[str, dict[str, object]] = {
    "Bundled masked LMs": {"mlm": ["demo:mlm-bpe", "google-bert/bert-base-cased"]},
    "Another language": {"language": "fr"},
    "Scrambled": {"scramble": True},
    "Invalid rows": {"skip_invalid": True},
    "Without the probability filter": {"filters": ["pos"]},
    "Without the word class filter": {"filters": ["prob"]},
    "Union of premise and hypothesis": {"sides": "union"},
    "Seeds of another data set": {"seeds_from": "somewhere/merge_snli"},
    "All occurrences masked at once": {"mask": "all"},
    "Split words included": {"split_words": True},
    "No WordNet relations": {"no_relations": True},
    "Several masked LMs": {"min_mlms": 2},
    "Same tag": {"same_tag": True},
    "Articles": {"articles": True},
    "A margin of probability": {"min_log_odds": 0.5},
    "A maximum rank": {"max_rank": 50},
    "No compounds": {"no_compounds": True},
    "Same supersense": {"supersense": True},
    "Same parse": {"same_parse": True},
    "No quantifiers": {"no_quantifiers": True},
    "Pronouns": {"pronouns": True},
    "Veto": {"veto": 20},
    "Case ignored": {"ignore_case": True},
    "Judged variants": {"judgments": ["judge.eval"]},
    "Another limit of the judgments": {"min_judged": 8.5},
    "bfloat16": {"dtype": "bfloat16"},
    "Another degree of inflation": {"inflation": 5},
    "Another number of suggestions per form": {"top_k": 50},
    "A part of the problems": {"limit": 100},
    "A sample of the problems": {"sample": 100},
    "Another number of random draws": {"subsamples": 2},
    "Another tagger": {"tagger": "my/tagger"},
    "Other word classes": {"classes": ["noun"]},
}


@pytest.mark.parametrize(("title", "options"), DIFFERING.items())
def test_departure_is_shown_at_the_top(title: str, options: dict[str, object]) -> None:
    departing = head({"mlm": ["google-bert/bert-base-cased"]} | options)
    assert f"> - **{title}**" in departing and departing.count("> - ") == 1


def head(options: dict[str, Any]) -> str:
    """Return the card up to its first code block, with the paper's options but for the given ones."""
    paper = {"min_mlms": 1, "same_tag": False, "articles": False, "max_rank": None, "inflation": 20}
    return render_card(with_options(**paper | options), BUNDLED).partition("```")[0]


def test_every_option_is_a_departure_or_says_why_not() -> None:
    shown = set().union(*DIFFERING.values())
    all_options = dict(described(Options))
    of_filters = {field.name for field in fields(FilterOptions)}
    departing = {name for name, option in all_options.items() if option.departure}
    assert departing - of_filters == shown - of_filters - {"filters"}
    assert {name for name, option in all_options.items() if option.neutral} == all_options.keys() - departing
    assert sum("filters" in options for options in DIFFERING.values()) == len(METHOD_OPTIONS)


@pytest.mark.parametrize(
    "filter_", [filter_ for filter_ in FILTERS if filter_.option is not None], ids=lambda filter_: filter_.name
)
def test_every_filter_has_a_sentence_where_it_departs(filter_: Filter) -> None:
    paper: dict[str, object] = {"problems": "x", "mlm": ["m"]}
    if filter_.in_method:
        value: dict[str, object] = {"filters": []}
    elif option_types(Options)[filter_.name] is bool:
        value = {filter_.name: True}
    else:
        value = {filter_.name: 2}
    assert known(filter_.option).departure in departures(paper | value)
    assert departures(paper) == ()


def test_no_and_several_departures() -> None:
    paper = head({"mlm": ["google-bert/bert-base-cased"]})
    assert "All options follow the paper's method." in paper and "> " not in paper
    options: dict[str, Any] = {"scramble": True, "filters": [], "sides": "union"}
    several = head(options)
    assert "# MERGE on its bundled problems\n" in several and several.count("> - ") == 5
    assert "`filters=none`" in render_card(with_options(**options), BUNDLED)
    tagged = {"problems": "x", "mlm": ["google-bert/bert-base-cased"]}
    assert departures(tagged) == departures(tagged | {"tagger": "en_core_web_sm"}) == (), "the paper's tagger"


def test_license() -> None:
    snli = TermsRecord("cc-by-sa-4.0", "SNLI: Bowman and others (2015).")
    known = replace(with_options(problems="stanfordnlp/snli"), terms=snli)
    unknown = replace(with_options(problems="/home/someone/mine.jsonl"), terms=TermsRecord(None, None))
    chosen = replace(unknown, terms=TermsRecord("CC-BY-4.0", None))
    own = TermsRecord("other", "MultiNLI: its paper says under which.")
    of_multi = replace(with_options(problems="nyu-mll/multi_nli"), terms=own)
    licenses = [license_of(record) for record in (RECORD, known, unknown, chosen)]
    assert licenses == ["apache-2.0", "cc-by-sa-4.0", None, "cc-by-4.0"]
    for record, shown in (
        (known, ["SNLI: Bowman and others (2015)."]),
        (unknown, ["license: unknown", "license of the seed problems is unknown"]),
        (of_multi, ["license: other", "their own terms", "MultiNLI: its paper says under which."]),
    ):
        card = render_card(record, BUNDLED)
        assert not missing_from(card, *shown)
        assert "/home/someone" not in card
    data = yaml.safe_load(str(DatasetCard(render_card(known, BUNDLED)).data))
    assert data["source_datasets"] == ["stanfordnlp/snli"]
    assert data["annotations_creators"] == ["crowdsourced", "machine-generated"]


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder that has also the cache of data sets."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("cached")
def test_scoring_example_runs(tmp_path: Path) -> None:
    """Run it in a folder with the data set and the metric; `my_model` always answers entailment."""
    block = re.findall(r"```python\n(.*?)```", CARD, re.DOTALL)[1]
    assert len([line for line in block.splitlines() if line]) == 6
    (tmp_path / "merge_snli").symlink_to(BUNDLED)
    (tmp_path / "pattern_accuracy").symlink_to(BUNDLED.parent / "metrics" / "pattern_accuracy")
    names: dict[str, Any] = {"my_model": lambda premise, hypothesis: 0}
    *lines, last = block.strip().splitlines()
    exec("\n".join([*lines, f"scores = {last}"]), names)
    labels = RECORD.configs["all"].group_labels or {}
    assert names["scores"]["pattern_accuracy"] == labels["entailment"] / RECORD.configs["all"].groups


@pytest.mark.usefixtures("cached")
def test_examples_of_a_local_data_set_load_its_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the project's root, which has the bundled data set, they raise an error."""
    (tmp_path / "mine").symlink_to(BUNDLED)
    card = render_card(replace(RECORD, load_name=load_name_of(tmp_path / "mine")), BUNDLED)
    assert not re.search(r'load_dataset\("(?!\./mine")', card)
    assert "this data set load" not in card
    block = re.findall(r"```python\n(.*?)```", card, re.DOTALL)[0]
    names: dict[str, Any] = {}
    exec(block, names)
    assert names["seeds"].num_rows == RECORD.configs["seed"].rows
    monkeypatch.chdir(BUNDLED.parent)
    refused("mine", exec, block, {}, error=OSError)


@pytest.mark.parametrize("damage", ["words", "rows"])
def test_record_or_data_without_a_card_is_a_finding(tmp_path: Path, damage: str) -> None:
    copy_bundled(tmp_path, "README.md", *(data_file(config, "test") for config in RECORD.configs))
    record = RECORD
    if damage == "words":
        record = changed(record, words={"noun": None})
    else:
        path = tmp_path / data_file("all", "test")
        pq.write_table(pq.read_table(path).slice(0, 0), path)
    collector = Collector()
    check_card(tmp_path, record, collector)
    findings = collector.report("").findings
    assert findings and {finding.file for finding in findings} == {"README.md"}


TEXT = (BUNDLED / "README.md").read_text(encoding="utf-8").split("---\n", 2)[2]


PAGE = MarkdownIt("commonmark", {"html": True}).enable("table").render(TEXT)


def tables() -> list[list[list[str]]]:
    """Return the cells of the page's tables as rendered text."""
    return [
        [
            [unescape(re.sub(r"<[^>]+>", "", cell)) for cell in re.findall(r"<t[hd]>(.*?)</t[hd]>", row, re.DOTALL)]
            for row in re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
        ]
        for table in re.findall(r"<table>(.*?)</table>", PAGE, re.DOTALL)
    ]


def test_page_starts_with_title_example_and_departures() -> None:
    assert re.findall(r"<h1>(.*?)</h1>", PAGE) == ["MERGE on its bundled problems"]
    rows = read_split(DATASET, ALL).to_pylist()
    agreed = [set(row["premise_mlms"]).intersection(row["hypothesis_mlms"]) for row in rows]
    most = max(map(len, agreed))
    row = max((row for row, names in zip(rows, agreed, strict=True) if len(names) == most), key=lambda r: r["log_odds"])
    seed, variant = tables()[0][1:]
    label = RECORD.label_names[row["label"]]
    assert seed == ["seed", row["seed_premise"], row["seed_hypothesis"], label]
    assert variant == [f"variant, {row['original']} → {row['replacement']}", row["premise"], row["hypothesis"], label]
    assert PAGE.index("<blockquote>") < PAGE.index("<h2>")


def test_tables_are_complete() -> None:
    page_tables = tables()
    for table in page_tables:
        assert len({len(row) for row in table}) == 1, table[0]
    for config in (ALL, SEED):
        declared = columns(config, RECORD.options["classes"])
        (table,) = [
            rows for rows in page_tables if [row[:2] for row in rows[1:]] == [[c.name, c.type] for c in declared]
        ]
        assert all(row[2] and row[3] for row in table)


def test_sections() -> None:
    assert re.findall(r"<h2>(.*?)</h2>", PAGE) == [
        "Intended use",
        "Composition",
        "Columns",
        "Subsamples and scoring",
        "How it was generated",
        "Known limitations",
        "License and attribution",
        "Citation",
        "Contact",
    ]
