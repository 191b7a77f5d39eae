"""The templates of pages and of texts, which fail on an undefined value."""

from collections.abc import Callable
from functools import cache
from typing import Any

from jinja2 import Environment, StrictUndefined, Template

from merge_snli.base.errors import one_line


@cache
def text_template(text: str, **filters: Callable[..., object]) -> Template:
    """Return the template of a text, which escapes no value and keeps its last line break.

    Args:
        text: The template.
        **filters: What it calls as filters, by name.
    """
    templates = _environment(keep_trailing_newline=True)
    templates.filters |= filters
    return templates.from_string(text)


@cache
def page_template(text: str) -> Template:
    """Return the template of a page, which escapes every value."""
    return _environment(autoescape=True).from_string(text)


def printed(template: str, **values: object) -> str:
    """Return a text that a command prints, with each value on one line, as `one_line` returns it."""
    templates = _environment(keep_trailing_newline=True, finalize=lambda value: one_line(str(value)))
    return templates.from_string(template).render(values)


def _environment(**options: Any) -> Environment:  # noqa: ANN401 - of jinja2
    return Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, **options)
