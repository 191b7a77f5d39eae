"""Evaluate the embedded models on SNLI test; exit with code 1 if one is below its required value."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from merge_snli.embedded import FOLDER, MASKED_LMS, NLI_MODELS
from training.cards import write_card
from training.data import SNLI_TEST, default_folder, problems_of
from training.mlm_figures import forms_of, masked_lm_figures
from training.nli_figures import nli_accuracy
from training.script import script

Figures = dict[str, float]

REQUIRED: dict[str, Figures] = {
    "mlm-wordpiece": {"top_1": 0.38, "top_200": 0.92},
    "mlm-bpe": {"top_1": 0.28, "top_200": 0.84},
    "nli-a": {"accuracy": 0.77},
    "nli-b": {"accuracy": 0.72},
}


@dataclass(frozen=True)
class Measured:
    """Measured and required values of a model, and the size of its folder in MB."""

    name: str
    figures: Figures
    required: Figures
    megabytes: float

    @property
    def missed(self) -> list[str]:
        """The names of the values that are below the required ones."""
        return [name for name, minimum in self.required.items() if self.figures[name] < minimum]


def measure(data: Path, models: Path = FOLDER, names: tuple[str, ...] = tuple(REQUIRED)) -> list[Measured]:
    """Evaluate embedded models on SNLI test.

    Args:
        data: The data folder.
        models: The parent of the model folders.
        names: The models to evaluate.

    Raises:
        InputError: If SNLI test or a model is missing.
    """
    problems = problems_of(data, SNLI_TEST)
    forms = forms_of(problems) if set(names) & set(MASKED_LMS) else []
    figures: dict[str, Figures] = {}
    for name in names:
        if name in NLI_MODELS:
            figures[name] = {"accuracy": nli_accuracy(models / name, problems), "problems": len(problems)}
        else:
            figures[name] = asdict(masked_lm_figures(models / name, forms))
    return [Measured(name, figures[name], REQUIRED[name], megabytes(models / name)) for name in names]


def megabytes(folder: Path) -> float:
    """Return the total size of the files in a folder in MB."""
    return sum(path.stat().st_size for path in folder.iterdir()) / 1e6


def as_table(measured: list[Measured]) -> str:
    """Return a table of measured and required values, one per line."""
    lines = [f"{'model':<14} {'figure':<10} {'measured':>8} {'minimum':>7}"]
    for model in measured:
        for name, minimum in model.required.items():
            note = "  missed" if name in model.missed else ""
            lines.append(f"{model.name:<14} {name:<10} {model.figures[name]:>8.2%} {minimum:>7.2%}{note}")
    return "\n".join(lines)


def as_json(measured: list[Measured]) -> str:
    """Return measured values, required values and sizes as a JSON document."""
    return json.dumps([asdict(model) | {"missed": model.missed} for model in measured], indent=2)


def main() -> int:
    """Run the evaluation, print it, and write the model cards with `--cards`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", nargs="+", choices=tuple(REQUIRED), default=tuple(REQUIRED), help="models to evaluate (default: all)"
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=default_folder(),
        help="folder that contains snli/test.jsonl (default: %(default)s)",
    )
    parser.add_argument(
        "--models", type=Path, default=FOLDER, help="parent of the model folders (default: %(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--cards", action="store_true", help="write the model cards with the measured values")
    arguments = parser.parse_args()
    with script():
        measured = measure(arguments.data, arguments.models, tuple(arguments.only))
    if arguments.cards:
        for model in measured:
            write_card(arguments.models / model.name, model.name, model.figures)
    sys.stdout.write((as_json(measured) if arguments.json else as_table(measured)) + "\n")
    return int(any(model.missed for model in measured))


if __name__ == "__main__":
    sys.exit(main())
