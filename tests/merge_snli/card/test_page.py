"""The rendered card: complete tables, and no data parsed as markup."""

from __future__ import annotations

import re
from html import unescape

from markdown_it import MarkdownIt

from merge_snli.dataset.stored import read_split
from merge_snli.schema import ALL, SEED, columns
from tests.merge_snli.card.test_render import DATA_SET, DATASET, RECORD

TEXT = (DATA_SET / "README.md").read_text(encoding="utf-8").split("---\n", 2)[2]
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
