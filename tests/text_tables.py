"""Read tables of text back, so that a test compares the columns that it is about."""

import re


def rows_of(text: str) -> list[dict[str, str]]:
    """Return the rows of the first table in a text: what each shows below which header."""
    lines = text.splitlines()
    rule = next(number for number, line in enumerate(lines) if line.startswith("──"))
    columns = [match.span() for match in re.finditer("─+", lines[rule])]
    header = [lines[rule - 1][start:end].strip() for start, end in columns]
    end = next((number for number, line in enumerate(lines[rule:], rule) if not line), len(lines))
    return [
        dict(zip(header, (line[start:end].strip() for start, end in columns), strict=True))
        for line in lines[rule + 1 : end]
    ]
