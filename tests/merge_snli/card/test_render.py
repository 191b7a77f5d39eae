"""The card: its metadata is valid for the Hub, its numbers are those of the run, and no data are parsed as markup."""

import re
from collections import Counter
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
    assert METADATA["license"] == "apache-2.0"
    assert METADATA["source_datasets"] == ["original"]
    assert "splits:" not in CARD
    configs = {config.pop("config_name"): config for config in METADATA["configs"]}
    assert [*configs] == ["all", "noun", "verb", "adj", "seed"]
    assert configs.pop("all")["default"] is True
    for name, config in configs.items():
        assert "default" not in config
        files = [{"split": split, "path": data_file(name, split)} for split in splits(name)]
        assert config["data_files"] == files


def test_data_version() -> None:
    first = data_version("a" * 64)
    assert first != data_version("b" * 64)
    assert re.fullmatch(r"\d+\.\d+\.\d+", first)


def test_numbers_and_columns() -> None:
    generation = generation_of(RECORD)
    for config, of in RECORD.test_configs.items():
        assert f"| {config} | {of.groups:,} | {of.rows:,} |" in CARD
    for word_class, counts in generation.words.items():
        assert f"| {word_class} | {counts.problems:,} |" in CARD
    assert f"{generation.problems.with_label:,} with a gold label" in CARD
    assert not missing_from(CARD, *(mlm.digest[:12] for mlm in generation.masked_lms))
    assert "`top_k=200` `random_seed=0`" in CARD
    assert "limit=" not in CARD


def test_examples_are_escaped(tmp_path: Path) -> None:
    text = "a | `b`\nc <i> " + "d" * 200
    for config in ("seed", "all"):
        row: dict[str, object] = dict.fromkeys((column.name for column in columns(config)), text)
        if config == "all":
            row |= {"premise_mlms": ["a"], "hypothesis_mlms": ["a"], "log_odds": 1.0, "label": 0}
        path = tmp_path / data_file(config, "test")
        path.parent.mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist([row]), path)
    lines = [line for line in render_card(RECORD, tmp_path).splitlines() if r"a \| " in line]
    assert len(lines) > len(columns("seed"))
    for line in lines:
        assert len(re.findall(r"(?<!\\)\|", line)) == 5


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
    after = rendered(render_card(record, BUNDLED))
    tags = "<(img|a|h1|h2|i|b|em|strong|pre|table|tr|td)[ >]"
    assert Counter(re.findall(tags, after)) == Counter(re.findall(tags, PAGE))
    assert unescape(after).count("<img src=x onerror=alert(1)>") >= 6


def rendered(card: str) -> str:
    text = card.split("---\n", 2)[2]
    return str(MarkdownIt("commonmark", {"html": True}).enable("table").render(text))


PAGE = rendered(CARD)


def tables(card: str) -> list[list[list[str]]]:
    """Return the cells of a card's tables as rendered text."""
    found = []
    for table in re.findall(r"<table>(.*?)</table>", rendered(card), re.DOTALL):
        rows = [re.findall(r"<t[hd]>(.*?)</t[hd]>", row, re.DOTALL) for row in table.split("</tr>")[:-1]]
        found.append([[unescape(re.sub(r"<[^>]+>", "", cell)) for cell in row] for row in rows])
    return found


DIFFERING: dict[str, object] = {
    "mlm": ["demo:mlm-bpe", "google-bert/bert-base-cased"],
    "language": "fr",
    "scramble": True,
    "skip_invalid": True,
    "sides": "union",
    "seeds_from": "somewhere/merge_snli",
    "mask": "all",
    "split_words": True,
    "ignore_case": True,
    "judgments": ["judge.eval"],
    "min_judged": 8.5,
    "dtype": "bfloat16",
    "inflation": 5,
    "top_k": 50,
    "limit": 100,
    "sample": 100,
    "subsamples": 2,
    "tagger": "my/tagger",
    "classes": ["noun"],
}
OPTIONS = dict(described(Options))


@pytest.mark.parametrize("name", DIFFERING)
def test_departure_is_shown_at_the_top(name: str) -> None:
    departing = head({"mlm": ["google-bert/bert-base-cased"], name: DIFFERING[name]})
    title = known(OPTIONS[name].departure).split("**")[1]
    assert f"> - **{title}**" in departing
    assert departing.count("> - ") == 1


def head(options: dict[str, Any]) -> str:
    """Return the card up to its first code block, with the paper's options but for the given ones."""
    paper = {"min_mlms": 1, "same_tag": False, "articles": False, "max_rank": None, "inflation": 20}
    return render_card(with_options(**paper | options), BUNDLED).partition("```")[0]


def test_every_option_is_a_departure_or_says_why_not() -> None:
    departing = {name for name, option in OPTIONS.items() if option.departure}
    assert departing - {field.name for field in fields(FilterOptions)} == DIFFERING.keys()
    for name, option in OPTIONS.items():
        assert (option.neutral is None) == (name in departing)


@pytest.mark.parametrize("filter_", [filter_ for filter_ in FILTERS if filter_.option is not None])
def test_every_filter_has_a_sentence_where_it_departs(filter_: Filter) -> None:
    options: dict[str, object] = {"problems": "x", "mlm": ["m"]}
    assert departures(options) == ()
    if filter_.in_method:
        options["filters"] = [name for name in METHOD_OPTIONS if name != filter_.name]
    else:
        options[filter_.name] = option_types(Options)[filter_.name] is bool or 2
    assert departures(options) == (known(filter_.option).departure,)


def test_no_and_several_departures() -> None:
    paper = head({"mlm": ["google-bert/bert-base-cased"]})
    assert "All options follow the paper's method." in paper
    assert "> " not in paper
    several = head({"scramble": True, "filters": [], "sides": "union"})
    assert "# MERGE on its bundled problems\n" in several
    assert several.count("> - ") == 5
    assert "`filters=none`" in render_card(with_options(filters=[]), BUNDLED)
    assert departures({"problems": "x", "mlm": ["m"], "tagger": "en_core_web_sm"}) == (), "the paper's tagger"


def test_license() -> None:
    snli = TermsRecord("cc-by-sa-4.0", "SNLI: Bowman and others (2015).")
    known = replace(with_options(problems="stanfordnlp/snli"), terms=snli)
    assert license_of(known) == "cc-by-sa-4.0"
    card = render_card(known, BUNDLED)
    assert not missing_from(card, "SNLI: Bowman and others (2015).")
    data = yaml.safe_load(str(DatasetCard(card).data))
    assert data["source_datasets"] == ["stanfordnlp/snli"]
    assert data["annotations_creators"] == ["crowdsourced", "machine-generated"]
    unknown = replace(with_options(problems="/home/someone/mine.jsonl"), terms=TermsRecord(None, None))
    assert license_of(unknown) is None
    card = render_card(unknown, BUNDLED)
    assert not missing_from(card, "license: unknown", "license of the seed problems is unknown")
    assert "/home/someone" not in card
    assert license_of(replace(unknown, terms=TermsRecord("CC-BY-4.0", None))) == "cc-by-4.0"
    own = TermsRecord("other", "MultiNLI: its paper says under which.")
    card = render_card(replace(unknown, terms=own), BUNDLED)
    assert not missing_from(card, "license: other", "their own terms", "MultiNLI: its paper says under which.")


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
    (finding,) = collector.report("").findings
    assert finding.file == "README.md"


def agreement(row: dict[str, Any]) -> tuple[int, float]:
    """Return how many masked LMs validated a variant on both sides, and its log-odds."""
    return len({*row["premise_mlms"]} & {*row["hypothesis_mlms"]}), row["log_odds"]


def test_page_starts_with_title_example_and_departures() -> None:
    assert re.findall(r"<h1>(.*?)</h1>", PAGE) == ["MERGE on its bundled problems"]
    row = max(read_split(DATASET, ALL).to_pylist(), key=agreement)
    _, seed, variant = tables(CARD)[0]
    label = RECORD.label_names[row["label"]]
    assert seed == ["seed", row["seed_premise"], row["seed_hypothesis"], label]
    assert variant == [f"variant, {row['original']} → {row['replacement']}", row["premise"], row["hypothesis"], label]
    assert PAGE.index("<blockquote>") < PAGE.index("<h2>")


def test_tables_of_columns_are_complete() -> None:
    page_tables = {tuple(row[0] for row in table[1:]): table for table in tables(CARD)}
    for config in (ALL, SEED):
        declared = columns(config, RECORD.options["classes"])
        _, *rows = page_tables[tuple(column.name for column in declared)]
        for column, row in zip(declared, rows, strict=True):
            assert row[1] == column.type
            assert row[2]
            assert row[3]
