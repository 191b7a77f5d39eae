"""The card as a page: Markdown that a renderer shows whole, with nothing of the data taken for markup."""

from __future__ import annotations

import re
from html import unescape

from markdown_it import MarkdownIt

from merge_snli.dataset import read_split
from merge_snli.schema import ALL, SEED, columns
from tests.merge_snli.card.test_render import DATA_SET, RECORD, SOURCE

TEXT = (DATA_SET / "README.md").read_text(encoding="utf-8").split("---\n", 2)[2]
PAGE = MarkdownIt("commonmark", {"html": True}).enable("table").render(TEXT)


def tables() -> list[list[list[str]]]:
    """Return the cells of the page's tables as a reader sees them."""
    return [
        [
            [unescape(re.sub(r"<[^>]+>", "", cell)) for cell in re.findall(r"<t[hd]>(.*?)</t[hd]>", row, re.DOTALL)]
            for row in re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
        ]
        for table in re.findall(r"<table>(.*?)</table>", PAGE, re.DOTALL)
    ]


def test_what_a_reader_sees_first_is_a_name_an_example_and_how_the_set_departs() -> None:
    assert re.findall(r"<h1>(.*?)</h1>", PAGE) == ["MERGE on its embedded problems"]
    row = read_split(SOURCE, ALL).slice(0, 1).to_pylist()[0]
    seed, variant = tables()[0][1:]
    label = RECORD.problems.label_names[row["label"]]
    assert seed == ["seed", row["seed_premise"], row["seed_hypothesis"], label]
    assert variant == [f"variant, {row['original']} → {row['replacement']}", row["premise"], row["hypothesis"], label]
    assert PAGE.index("<blockquote>") < PAGE.index("<h2>")


def test_every_table_has_all_its_cells_and_types_are_seen() -> None:
    shown = tables()
    for table in shown:
        assert len({len(row) for row in table}) == 1, table[0]
    for config in (ALL, SEED):
        declared = columns(config, RECORD.options["classes"])
        (table,) = [each for each in shown if [row[:2] for row in each[1:]] == [[c.name, c.type] for c in declared]]
        assert all(row[2] and row[3] for row in table)


def test_the_sections_are_those_that_a_careful_user_asks_for() -> None:
    assert re.findall(r"<h2>(.*?)</h2>", PAGE) == [
        "What it is, and what it is not",
        "Composition",
        "Columns",
        "Subsamples, and how to score a model",
        "How it was made",
        "Known limits",
        "License and attribution",
        "Citation",
        "Contact",
    ]
