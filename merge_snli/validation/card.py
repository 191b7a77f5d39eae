"""Compare the card with the one that the record and the data give."""

from itertools import zip_longest
from pathlib import Path

import yaml

from merge_snli.base import __version__
from merge_snli.base.errors import reason
from merge_snli.base.limits import open_parquet
from merge_snli.card import render_card
from merge_snli.dataset.record import Record
from merge_snli.dataset.stored import CARD_FILE
from merge_snli.schema import data_file
from merge_snli.validation.findings import Collector, quoted
from merge_snli.validation.parquet import READ_ERRORS

# The metadata that `datasets` loads from, which is the same for every version of this package.
LOADED_METADATA = ("configs", "dataset_info")

# What PyYAML raises for malformed text and invalid values (such as the date 2020-99-99).
YAML_ERRORS = (yaml.YAMLError, ValueError, TypeError, ArithmeticError, LookupError, AttributeError, RecursionError)


def check_card(folder: Path, record: Record, collector: Collector) -> None:
    """Compare the card with the one that the record and the data give.

    For the card of another version of this package, only the metadata that libraries read is compared.

    Args:
        folder: The data set's folder. If the card or data for it is missing, nothing is checked here.
        record: The content of `run.json`.
        collector: Gets the findings.
    """
    from huggingface_hub import RepoCard

    is_complete = record.versions.get("merge_snli") == __version__
    if not is_complete:
        collector.skip(f"text of the card: written by merge_snli {record.versions.get('merge_snli')}")
    shown = [data_file(name, config.split) for name, config in record.configs.items()]
    if not all((folder / name).is_file() for name in (CARD_FILE, *shown)):
        return
    try:
        for name in shown:
            open_parquet(folder / name).close()  # too large a file is not read
        content = (folder / CARD_FILE).read_bytes()
        card = render_card(record, folder).encode()
        if is_complete:
            _compare_lines(content, card, collector)
        else:
            metadata = RepoCard(content.decode()).data
            expected = RepoCard(card.decode()).data
            for key in LOADED_METADATA:
                collector.compare(CARD_FILE, key, metadata.get(key), expected.get(key), "the data gives")
    except (*READ_ERRORS, *YAML_ERRORS) as error:
        message = reason(error).replace(str(folder), "").replace("\n", " ")
        collector.find(CARD_FILE, None, None, f"cannot be compared with the record and the data: {message}")


def _compare_lines(content: bytes, card: bytes, collector: Collector) -> None:
    """Report the first line that differs, since a surplus or missing one shifts all later lines."""
    stored, expected = (text.decode("utf-8", "backslashreplace").split("\n") for text in (content, card))
    for number, (line, must_be) in enumerate(zip_longest(stored, expected), start=1):
        if line != must_be:
            message = f"is {quoted(line)}; the data gives {quoted(must_be)}"
            collector.find(CARD_FILE, None, f"line {number}", message)
            return
