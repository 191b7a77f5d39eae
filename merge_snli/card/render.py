"""Fill in the templates of the card of variants and of the card of pairs in groups."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from generation.options import departures
from merge_snli.base.errors import one_line
from merge_snli.base.table import code_span, one_cell
from merge_snli.card.metadata import license_text, metadata
from merge_snli.card.values import configs_by_column, escaped, example_of, first_row, value_text
from merge_snli.dataset.answered_forms import form_shares, shares_text
from merge_snli.dataset.record import Record
from merge_snli.dataset.texts import NLI_TEXTS, is_nli
from merge_snli.problems.inputs import public_name
from merge_snli.schema import ANNOTATION_COLUMNS

TEMPLATE, PAIRS_TEMPLATE = "dataset_card.md", "pairs_card.md"
# Options with their own place in the card, and the device, which does not change the data.
SHOWN_ELSEWHERE = frozenset(
    {"title", "problems", "split", "mlm", "tagger", "classes", "inflation", "subsamples", "dtype", "device"}
)

LOCAL = "./"

# What the templates call.
FUNCTIONS = {
    "configs_by_column": configs_by_column,
    "first_row": first_row,
    "form_shares": form_shares,
    "license_text": license_text,
    "metadata": metadata,
    "public_name": public_name,
    "shares_text": shares_text,
}
FILTERS = {"cell": one_cell, "code": code_span, "escaped": escaped, "value": value_text}


def load_name_of(folder: Path) -> str:
    """Return the name that `datasets` loads a local folder by, from the folder that contains it.

    The leading `./` keeps a data set of the same name, such as the bundled `merge_snli`, from being loaded instead.
    """
    return f"{LOCAL}{folder.absolute().name}"


def render_card(record: Record, folder: Path) -> str:
    """Return the dataset card.

    The card has no date, so that the same run always gives the same bytes.

    Args:
        record: The record of the data set; `card` and `digest` are not used.
        folder: The data set's folder; the first rows of its data are the card's examples.

    Returns:
        Markdown with YAML metadata, from which `datasets` reads configs and splits.

    Raises:
        ValueError: If the record or the data lacks a value that the card shows.
    """
    from jinja2 import UndefinedError

    from merge_snli.base.templates import text_template

    load_name = one_line(record.published.dataset if record.published else record.load_name)
    labels = [f"{number} {escaped(name)}" for number, name in enumerate(record.label_names)]
    versions = [f"{name} {version}" for name, version in record.versions.items()]
    local_folder = load_name.removeprefix(LOCAL) if load_name.startswith(LOCAL) else ""
    metric_space = record.published.metric if record.published else None
    values: dict[str, Any] = {
        "record": record,
        "folder": folder,
        "generation": record.generation,
        "load_name": load_name,
        "local_folder": local_folder,
        "metric_space": metric_space,
        "is_bundled": "/" not in load_name,
        "of_nli": is_nli(record.label_names, record.texts),
        "nli_texts": NLI_TEXTS,
        "annotation_columns": ANNOTATION_COLUMNS,
        "labels": ", ".join(labels),
        "versions": ", ".join(versions),
        "options": _options(record),
    }
    name = PAIRS_TEMPLATE
    if record.generation is not None:
        name = TEMPLATE
        values["departures"] = departures(record.options)
        values["variant"], values["seed"] = example_of(folder)
    try:
        return text_template(_read_template(name), **FILTERS).render(values | FUNCTIONS)
    except UndefinedError as error:
        raise ValueError(f"a value is missing: {error.message}") from error


def _read_template(name: str) -> str:
    """Read a template from the installed package, or from the checkout."""
    file: Traversable = files("merge_snli") / name
    if not file.is_file():
        file = Path(__file__).parents[2] / name
    return file.read_text(encoding="utf-8")


def _options(record: Record) -> str:
    """Return the options that are set, but those of variants that the card shows elsewhere."""
    texts = []
    for name, value in record.options.items():
        if value is None:
            continue
        if record.generation is not None:
            is_unset = value is False or (value == [] and name != "filters")
            if is_unset or name in SHOWN_ELSEWHERE:
                continue
        values = value if isinstance(value, list) else [value]
        shown = ",".join(public_name(str(of_list)) for of_list in values)
        texts.append(code_span(f"{name}={shown or 'none'}"))
    return " ".join(texts)
