"""Tables in every output format: alignment, numbers, wrapping and escapes."""

import io
from collections.abc import Callable

import pytest

from merge_snli.base.table import TEXT_WIDTH, Column, Table, print_in_any_encoding
from tests.oracles import missing_from

TABLE = Table(
    title="Scores",
    columns=(Column("model", "left"), Column("seeds"), Column("QT", format="+.1f"), Column("id", "left", code=True)),
    rows=(("a", 1234, 0.04, "x"), ("bb", None, -12.25, "y|`z")),
    notes=("QT: in points.",),
)
HOSTILE = "50 % & <b>_*x*_</b> | ~^\\ $1 #2 {3} [4]\x1b[2J\nnext"


def test_text_aligns_columns_and_formats_numbers() -> None:
    assert TABLE.text().splitlines() == [
        "Scores",
        "model  seeds     QT  id",
        "─────  ─────  ─────  ────",
        "a      1,234   +0.0  x",
        "bb         –  -12.2  y|`z",
        "",
        "QT: in points.",
    ]


@pytest.mark.parametrize(("spec", "shown"), [(None, "0.0"), ("+.1f", "+0.0"), (",.0f", "0"), (".2f", "-0.04")])
def test_no_number_is_shown_as_minus_zero(spec: str | None, shown: str) -> None:
    assert Column("", format=spec).show(-0.04) == shown


def test_text_wraps_headers_and_notes_only_if_they_are_too_wide() -> None:
    headers = [f"a long header {number}" for number in range(6)]
    lines = Table(columns=tuple(map(Column, headers)), rows=((1,) * 6,), notes=("a note " * 30,)).text().splitlines()
    assert max(map(len, lines)) <= TEXT_WIDTH
    assert lines[0].split() == ["a", "long"] * 6
    assert lines[1].split() == ["header"] * 6
    assert lines[2].split() == list("012345")
    narrow = Table(columns=tuple(map(Column, headers[:2])), rows=((1, 2),))
    assert narrow.text().splitlines()[0] == "a long header 0  a long header 1"


def test_text_narrows_the_gaps_of_columns_that_are_still_too_wide() -> None:
    columns = tuple(Column(f"{number:09}") for number in range(8))
    lines = Table(columns=columns[:7], rows=((1,) * 7,)).text().splitlines()
    assert lines[1] == "  ".join(["─" * 9] * 7)
    header, rule, row = Table(columns=columns, rows=((1,) * 8,)).text().splitlines()
    assert header == " ".join(column.header for column in columns)
    assert rule == " ".join(["─" * 9] * 8)
    assert row == " ".join(["        1"] * 8)


def test_markdown() -> None:
    assert TABLE.markdown().splitlines() == [
        "## Scores",
        "",
        "| model | seeds | QT | id |",
        "| --- | ---: | ---: | --- |",
        "| a | 1,234 | +0.0 | `x` |",
        "| bb | – | -12.2 | `` y\\|`z `` |",
        "",
        "- QT: in points.",
    ]


def test_latex() -> None:
    lines = [line.strip() for line in TABLE.latex().splitlines()]
    assert lines[2] == r"\begin{tabular}{lrrl}"
    assert r"a & 1,234 & +0.0 & \texttt{x} \\" in lines
    assert r"bb & -- & $-$12.2 & \texttt{y\textbar{}`z} \\" in lines
    assert lines[-3:] == [r"\caption{Scores}", r"\par {\footnotesize QT: in points.}", r"\end{table}"]


def test_html() -> None:
    assert not missing_from(TABLE.html(), '<td style="text-align: right">1,234</td>', "<code>y|`z</code>")
    assert TABLE.html().startswith("<table><caption>Scores</caption>")
    assert TABLE.html().endswith("</table><p>QT: in points.</p>")


def test_as_dict_keeps_the_values() -> None:
    assert TABLE.as_dict() == {
        "title": "Scores",
        "rows": [
            {"model": "a", "seeds": 1234, "QT": 0.04, "id": "x"},
            {"model": "bb", "seeds": None, "QT": -12.25, "id": "y|`z"},
        ],
        "notes": ["QT: in points."],
    }


def table_of(text: str) -> Table:
    """Return a table that has a text everywhere."""
    return Table(title=text, columns=(Column(text, "left"),), rows=((text,),), notes=(text,))


@pytest.mark.parametrize("render", [Table.text, Table.markdown, Table.latex, Table.html])
def test_any_text_stays_in_its_cell(render: Callable[[Table], str]) -> None:
    hostile = render(table_of(HOSTILE))
    assert hostile.count("\n") == render(table_of("x")).count("\n")
    assert "\x1b" not in hostile


def test_markup_is_escaped() -> None:
    table = Table(columns=(Column("a_b"),), rows=((HOSTILE,),))
    assert r"50 % &amp; &lt;b&gt;\_\*x\*\_&lt;/b&gt; \| \~^\\ \$1 \#2 \{3\} \[4\]" in table.markdown()
    assert not missing_from(
        table.latex(),
        r"50 \% \& \textless{}b\textgreater{}\_{*}x{*}\_",
        r"\textasciitilde{}\textasciicircum{}\textbackslash{} \$1 \#2 \{3\} {[}4{]}",
    )
    assert "50 % &amp; &lt;b&gt;_*x*_&lt;/b&gt;" in table.html()


def test_characters_that_an_encoding_lacks_are_printed_as_ascii() -> None:
    written = io.BytesIO()
    stream = io.TextIOWrapper(written, encoding="latin-1")
    print_in_any_encoding(stream)
    stream.write(TABLE.text() + "caf\u00e9 \u65e5 \u2026")
    stream.flush()
    expected = TABLE.text().replace("\u2500", "-").replace("\u2013", "-")
    assert written.getvalue().decode("latin-1") == f"{expected}caf\u00e9 \\u65e5 ..."


def test_a_notebook_and_pandas_show_the_columns() -> None:
    table = Table(columns=(Column("name", "left"), Column("share")), rows=(("a", 0.25), ("b", None)))
    assert table._repr_html_() == table.html()
    shown = table.to_pandas()
    assert [*shown] == ["name", "share"]
    assert shown["share"][0] == 0.25


def test_a_finding_stands_before_the_rows() -> None:
    table = Table(columns=TABLE.columns, rows=TABLE.rows, title="Scores", finding="a leads & b_c follows.")
    assert table.text().splitlines()[1:3] == ["a leads & b_c follows.", ""]
    assert table.markdown().splitlines()[2] == r"a leads &amp; b\_c follows."
    assert r"a leads \& b\_c follows." in table.latex()


def test_html_shows_a_cell_below_that_of_the_column_before() -> None:
    columns = (Column("PA"), Column("interval", under=True), Column("p", under=True), Column("n"))
    page = Table(columns=columns, rows=((1.5, "1 to <2", "0.1", 3), (2.5, None, None, 4))).html()
    assert page.count("<th ") == 2
    assert not missing_from(page, ">1.5<br><small>1 to &lt;2</small><br><small>0.1</small></td>", ">2.5</td>")
