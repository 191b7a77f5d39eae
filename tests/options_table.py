"""The table of all options in docs/generate.md, from their descriptions: `python -m tests.options_table`."""

from __future__ import annotations

from pathlib import Path

from generation.options import Options
from merge_snli.base.errors import flag
from merge_snli.base.option import described

PAGE = Path(__file__).parents[1] / "docs" / "generate.md"
START, END = "<!-- options: written by python -m tests.options_table -->\n", "<!-- end of options -->"


def options_table() -> str:
    """Return the options of a run as a Markdown table, in the order of the groups of `--help`."""
    groups: dict[str, list[str]] = {}
    for name, option in described(Options):
        default = "" if option.default_text is None else option.default_text
        cells = (f"`{flag(name)}`", default, option.help[:1].lower() + option.help[1:])
        groups.setdefault(option.group, []).append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    rows = [row for of_group in groups.values() for row in of_group]
    return "\n".join(["| option | default | |", "| --- | --- | --- |", *rows]) + "\n"


def with_table(page: str) -> str:
    """Return a page with the current table between the two comments."""
    before, _, rest = page.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n{options_table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
