"""The templates of pages and of texts."""

from jinja2 import Environment, StrictUndefined

from merge_snli.base.errors import one_line


def environment(*, html: bool) -> Environment:
    """Return an environment of templates, which fail on an undefined value.

    Args:
        html: Whether the templates are pages, with every value escaped. In texts, no value is escaped, and the last
            line break is kept.
    """
    return Environment(
        autoescape=html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=not html,
    )


def printed(template: str, **values: object) -> str:
    """Return a text that a command prints, with each value on one line, as `one_line` returns it."""
    templates = environment(html=False)
    templates.finalize = lambda value: one_line(str(value))
    return templates.from_string(template).render(values)
