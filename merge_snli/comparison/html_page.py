"""What the HTML pages of the reports share: one style, scripts of ours only, data in a page."""

import hashlib
import json
from base64 import b64encode
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from merge_snli.answers.data import ScoredData
from merge_snli.answers.sentences import codes, numbered
from merge_snli.base.errors import InputError, explained
from merge_snli.dataset.out_folder import check_out
from merge_snli.dataset.variants import seed_offsets

# The columns of a variant that say which words of its seed are replaced, and where they are.
COLUMNS = (
    "premise",
    "hypothesis",
    "seed_premise",
    "seed_hypothesis",
    "original",
    "replacement",
    "premise_offsets",
    "hypothesis_offsets",
)

UNSAFE_IN_SCRIPT = str.maketrans({character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})


PAGE = "index.html"
# What every page has at its top, and no page of another program.
BRAND = '<a class="brand" id="home" href="#">'


def check_page(out: str | Path) -> Path:
    """Check before its work that a command can write a page to a folder, and return the path of the page.

    Args:
        out: The folder. It may hold other files, but no `index.html` that another program wrote.
    """
    path = check_out(out) / PAGE
    with explained(OSError, f"{path} cannot be read (⟦reason⟧): choose another folder with ⟦out⟧"):
        if path.exists() and BRAND.encode() not in path.read_bytes():
            raise InputError(f"{path} is not a page of MERGE: choose another folder with ⟦out⟧")
    return path


def asset(package: str, *path: str) -> str:
    """Return the text of a file inside a package."""
    return files(package).joinpath(*path).read_text(encoding="utf-8")


def shared_style() -> str:
    """Return the CSS that all pages start with: colors, type, cards and tables."""
    return asset("merge_snli.comparison", "page.css")


def json_for_script(value: Any) -> str:  # noqa: ANN401 - any JSON value
    r"""Format JSON for a script element, so that no string can end the element or start another.

    Examples:
        >>> json_for_script({"name": "</script>"})
        '{"name":"\\u003c/script\\u003e"}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).translate(UNSAFE_IN_SCRIPT)


def content_policy(scripts: Sequence[str]) -> str:
    """Return a content security policy that allows only these scripts and no requests."""
    digests = (b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def combined_script(scripts: Sequence[str]) -> str:
    """Return scripts as one, in a scope of their own, after what all interactive pages share."""
    return '(() => {\n"use strict";\n' + "\n".join([asset("merge_snli.comparison", "page.js"), *scripts]) + "})();\n"


def words_of_seeds(data: ScoredData) -> list[list[tuple[str, tuple[int, ...], tuple[int, ...]]]]:
    """Return the words that variants replace, with the offsets of their characters in premise and hypothesis, by seed.

    Raises:
        InputError: If the data set lacks a column.
    """
    missing = [name for name in COLUMNS if name not in data.table.column_names]
    if missing:
        raise InputError(f"{data.full_name} has no column {missing[0]}")
    originals = codes(data.table["original"])
    _, first = numbered(data.row_groups * (originals.max() + 1) + originals)
    words: list[list[Any]] = [[] for _ in data.group_ids]
    rows = data.table.select(COLUMNS).take(first).to_pylist()
    for group, row in zip(data.row_groups[first].tolist(), rows, strict=True):
        words[group].append((row["original"], seed_offsets(row, "premise"), seed_offsets(row, "hypothesis")))
    return words
