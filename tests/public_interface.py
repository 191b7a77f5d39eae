"""What is public, stored as JSON: `python -m tests.public_interface` writes it after a deliberate change.

docs/stability.md says what each part means and how it may change.
"""

import argparse
import inspect
import json
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import merge_snli
from generation.options import FILTER_NAMES, NO_FILTER, PRESETS
from generation.work import METHOD_VERSION
from merge_snli import cli
from merge_snli.annotation.report import Annotation
from merge_snli.annotation.sample import Sample
from merge_snli.annotation.shown import COLUMNS as SHEET_COLUMNS
from merge_snli.answers.data import ANSWER_COLUMNS, WORDS
from merge_snli.answers.table import LOG_LIKELIHOODS, PROBABILITY, REPLIES, REQUIRED
from merge_snli.dataset.record import Record
from merge_snli.language_models.questions import ROW_COLUMNS, Scope
from merge_snli.models.prompts import PROMPTS
from merge_snli.pairs.output import METHOD_VERSION as PAIRS_VERSION
from merge_snli.results.records import SCHEMA_VERSION
from merge_snli.schema import ANNOTATION_COLUMNS, CLASS_COLUMNS, SEED_COLUMNS, VARIANT_COLUMNS, WORD_CLASSES
from metrics.pattern_accuracy.pattern_accuracy import PatternAccuracy
from tests import ROOT
from tests.command_reference import subcommands, with_subcommands

FILE = Path(__file__).with_suffix(".json")
COLUMNS = (*VARIANT_COLUMNS, *SEED_COLUMNS, *CLASS_COLUMNS, *ANNOTATION_COLUMNS)
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]


def public_interface() -> dict[str, Any]:
    """Return names with their parameters, commands with their arguments, formats, columns, choices and exit codes."""
    commands = subcommands(cli.command_parser()).items()
    parsers = [each for name, parser in commands if name in cli.COMMANDS for each in with_subcommands(name, parser)]
    found = {
        "names": {name: parameters(getattr(merge_snli, name)) for name in sorted(merge_snli.__all__)},
        "metric": parameters(PatternAccuracy.compute)[1:],
        "commands": {name: arguments(parser) for name, parser in sorted(parsers, key=lambda each: each[0])},
        "formats": {
            "data set record (run.json)": inspect.signature(Record).parameters["format"].default,
            "rows of generate (method)": METHOD_VERSION,
            "rows of pairs (method)": PAIRS_VERSION,
            "result (NAME.json)": SCHEMA_VERSION,
            "answers of a result (NAME.parquet)": SCHEMA_VERSION,
            "logs of Inspect": EXTRAS["inspect"][0],
            "logs of lm-evaluation-harness": EXTRAS["harness"][0].replace("[hf]", ""),
            "sheets (CSV, XLSX, Label Studio)": inspect.signature(Sample).parameters["format"].default,
            "sample of annotate": inspect.signature(Sample).parameters["format"].default,
            "scores of annotate": inspect.signature(Annotation).parameters["format"].default,
        },
        "columns": {
            "data sets": sorted({column.name for column in COLUMNS}),
            "answers": {name: str(REQUIRED.get(name, "")) for name in (*ANSWER_COLUMNS, *WORDS)}
            | {"replies": str(REPLIES), f"{PROBABILITY}LABEL": "", LOG_LIKELIHOODS: ""},
            "sheets": [*SHEET_COLUMNS],
            "logs, of the task": ["dataset", "name", *(each.name for each in fields(Scope))],
            "logs, of a question": ["seed_id", "group_id", "label", *ROW_COLUMNS, "subsamples", "also"],
        },
        "choices": {
            "presets": {name: {**options} for name, options in PRESETS.items()},
            "prompts": PROMPTS,
            "filters": (*FILTER_NAMES, NO_FILTER),
            "word classes": WORD_CLASSES,
        },
        "exit codes": [cli.DONE, cli.INTERNAL_ERROR, cli.INPUT_ERROR, cli.GATE_FAILED, cli.INTERRUPTED],
    }
    as_stored: dict[str, Any] = json.loads(json.dumps(found))
    return as_stored


def parameters(function: Any) -> list[str]:  # noqa: ANN401 - any function or class
    """Return the names of the parameters; those with `=` are optional."""
    found = inspect.signature(function).parameters.values()
    return [each.name + "=" * (each.default is not each.empty) for each in found]


def arguments(parser: argparse.ArgumentParser) -> list[str]:
    """Return the options and positional arguments of a command, with the values that they may have."""
    nested = argparse._SubParsersAction
    found = [each for each in parser._actions if not isinstance(each, nested)]
    values = {each: f" {{{','.join(map(str, each.choices))}}}" if each.choices else "" for each in found}
    return sorted(name + values[each] for each in found for name in (each.option_strings or [each.dest.upper()]))


if __name__ == "__main__":
    FILE.write_text(json.dumps(public_interface(), indent=1) + "\n", encoding="utf-8")
