"""Tests of grouped bars: both files, deterministic bytes, every group in the legend."""

from pathlib import Path

from merge_snli.comparison.bar_charts import Bars, draw_bars
from merge_snli.comparison.line_chart import COLORS

CATEGORIES = ["low", "high"]


def test_more_groups_than_colors_and_a_line_are_drawn(tmp_path: Path) -> None:
    bars = [Bars(f"group $x_{n}$", {"a": [0.25, 0.75], "b": [1, 0]}, n) for n in range(len(COLORS) + 1)]
    line = Bars("mean", {"a": [0.5, 0.5], "b": [0.5, 0.5]}, 0)

    def draw(name: str) -> list[bytes]:
        files = draw_bars(
            bars, CATEGORIES, tmp_path / name, title="$t$", panels={"a": "A", "b": "B"}, y_label="y", line=line
        )
        assert [path.name for path in files] == [f"{name}.png", f"{name}.svg"]
        return [path.read_bytes() for path in files]

    png, svg = draw("v1.0")
    assert draw("again") == [png, svg]
    text = svg.decode()
    assert [bar.name for bar in (*bars, line) if f"<!-- {bar.name} -->" not in text] == []
    assert "<!-- $t$ -->" in text
