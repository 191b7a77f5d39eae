"""What the HTML pages of the reports share: a template environment without scripts of others, and one style."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Template


def asset(package: str, *path: str) -> str:
    """Return the text of a file inside a package."""
    return files(package).joinpath(*path).read_text(encoding="utf-8")


def shared_style() -> str:
    """Return the CSS that all pages start with: colors, type, cards and tables."""
    return asset("merge_snli.analysis", "page.css")


def template(text: str) -> Template:
    """Return a template that escapes every value, and fails on an undefined one."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(text)
