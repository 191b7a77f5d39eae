"""The templates of pages and of texts."""

from jinja2 import Environment, StrictUndefined


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
