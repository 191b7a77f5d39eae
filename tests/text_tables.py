"""Read tables of text back, so that a test compares the columns that it is about."""

import re


def rows_of(text: str) -> list[dict[str, str]]:
    """Return the rows of the first table in a text: what each shows below which header."""
    before, rule, after = re.split(r"^(──.*)\n", text, maxsplit=1, flags=re.MULTILINE)
    columns = [match.span() for match in re.finditer("─+", rule)]
    header = before.splitlines()[-1]
    names = [header[start:end].strip() for start, end in columns]
    rows = []
    for line in after.partition("\n\n")[0].splitlines():
        cells = [line[start:end].strip() for start, end in columns]
        rows.append(dict(zip(names, cells, strict=True)))
    return rows
