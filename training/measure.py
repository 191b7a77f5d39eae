"""Evaluate the bundled models on SNLI test and write their cards; exit with code 1 if one is below its minimum."""

import datetime
import json
import sys
import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import Any

from merge_snli.base.files import write_text
from merge_snli.base.table import Cell, Column, Table
from merge_snli.embedded import FOLDER, MASKED_LMS
from training.figures import Figures, figures_of
from training.script import SNLI_TEST, default_folder, parse, problems_of, script
from training.train import MODELS

REQUIRED: dict[str, Figures] = {
    "mlm-wordpiece": {"top_1": 0.38, "top_200": 0.92},
    "mlm-bpe": {"top_1": 0.28, "top_200": 0.84},
    "nli-a": {"accuracy": 0.77},
    "nli-b": {"accuracy": 0.72},
}
TEMPLATE = Path(__file__).with_name("card.md")
WIDTH = 118

SINGLY = "Used as single, distinct sentences. MultiNLI sentences are sampled half as often as SNLI sentences."
AS_PAIRS = "Used as pairs with gold labels. MultiNLI pairs are sampled 0.6 times as often as SNLI pairs."
MASKED_LM_FIGURES = (
    "On the {forms:,} forms of shared nouns, verbs and adjectives of SNLI test whose word is one token "
    "({one_token:.1%} of all forms), top-1 accuracy is {top_1:.1%} and top-200 accuracy is {top_200:.1%}. A form is a "
    "sentence with one occurrence of a shared word masked; a shared word occurs in both premise and hypothesis."
)
ARGUMENTS: dict[str, dict[str, Any]] = {
    "--only": {
        "nargs": "+",
        "choices": tuple(REQUIRED),
        "default": tuple(REQUIRED),
        "help": "models to evaluate (default: all)",
    },
    "--data": {
        "type": Path,
        "default": default_folder(),
        "help": "folder that contains snli/test.jsonl (default: %(default)s)",
    },
    "--models": {"type": Path, "default": FOLDER, "help": "parent of the model folders (default: %(default)s)"},
    "--json": {"action": "store_true", "default": False, "help": "print JSON"},
    "--cards": {
        "action": "store_true",
        "default": False,
        "help": "write the model cards with the measured values",
    },
}
NLI_FIGURES = "Accuracy on all {problems:,} problems of SNLI test: {accuracy:.1%}."


def measure(data: Path, models: Path = FOLDER, names: tuple[str, ...] = tuple(REQUIRED)) -> list[dict[str, Any]]:
    """Evaluate bundled models on SNLI test.

    Args:
        data: The data folder.
        models: The parent of the model folders.
        names: The models to evaluate.

    Returns:
        Name, measured and required values, the names of the values that are below the required ones, and the size of
        the folder in MB, for each model.
    """
    problems = problems_of(data, SNLI_TEST)
    measured = []
    for name in names:
        folder = models / name
        of_model = with_minimums(name, figures_of(folder, problems))
        measured.append(of_model | {"megabytes": megabytes(folder)})
    return measured


def with_minimums(name: str, figures: Figures) -> dict[str, Any]:
    """Return the measured values of a model, its required values, and the names of those that it misses."""
    required = REQUIRED[name]
    missed = [figure for figure, minimum in required.items() if figures[figure] < minimum]
    return {"name": name, "figures": figures, "required": required, "missed": missed}


def megabytes(folder: Path) -> float:
    """Return the total size of the files in a folder in MB."""
    return sum(path.stat().st_size for path in folder.iterdir()) / 1e6


def as_table(measured: list[dict[str, Any]]) -> Table:
    """Return the measured and required values, one per row."""
    columns = [
        Column("model", "left"),
        Column("figure", "left"),
        Column("measured", format=".2%"),
        Column("minimum", format=".2%"),
        Column("", "left"),
    ]
    rows: list[tuple[Cell, ...]] = []
    for model in measured:
        for figure, minimum in model["required"].items():
            missed = "missed" if figure in model["missed"] else ""
            rows.append((model["name"], figure, model["figures"][figure], minimum, missed))
    return Table(columns=tuple(columns), rows=tuple(rows))


def card_text(name: str, figures: Figures) -> str:
    """Return the text of a model's card."""
    made = MODELS[name]
    values: dict[str, Any] = asdict(made) | asdict(made.recipe) | {"name": name}
    values["start"] = made.start or f"layers 0 to {made.layers - 1} and the word embeddings"
    values["date"] = datetime.datetime.now(tz=datetime.UTC).strftime("%B %Y")
    if name in MASKED_LMS:
        values |= {"pipeline_tag": "fill-mask", "data": SINGLY, "items": "sentences"}
        values["figures"] = MASKED_LM_FIGURES.format(**figures)
    else:
        values |= {"pipeline_tag": "text-classification", "data": AS_PAIRS, "items": "pairs"}
        values["figures"] = NLI_FIGURES.format(**figures)
    text = TEMPLATE.read_text(encoding="utf-8").format(**values)
    return "\n".join(map(_wrapped, text.splitlines())) + "\n"


def _wrapped(line: str) -> str:
    indent = "  " if line.startswith("- ") else ""
    return textwrap.fill(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def main() -> int:
    """Run the evaluation, print it, and write the model cards with `--cards`."""
    arguments = parse("measure", __doc__, ARGUMENTS)
    with script():
        measured = measure(arguments.data, arguments.models, tuple(arguments.only))
    if arguments.cards:
        for model in measured:
            card = arguments.models / model["name"] / "README.md"
            write_text(card, card_text(model["name"], model["figures"]))
    printed = f"{json.dumps(measured, indent=2)}\n" if arguments.json else as_table(measured).text()
    sys.stdout.write(printed)
    return int(any(model["missed"] for model in measured))


if __name__ == "__main__":
    sys.exit(main())
