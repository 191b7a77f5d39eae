"""Evaluate the bundled models on SNLI test: masked LMs by the original words of forms, classifiers by their accuracy.

Exit with code 1 if a value is below its minimum.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from tqdm import tqdm

from generation.masked_lms.encoded_forms import ORIGINAL
from generation.masked_lms.loading import load_masked_lm
from generation.sentences.forms import Form
from generation.sentences.tagging import tag
from generation.sentences.words import forms_of_word, shared_words
from merge_snli.embedded import FOLDER, MASKED_LMS
from merge_snli.models.finding import find_model
from merge_snli.models.options import ModelOptions
from merge_snli.models.runner.loading import read_output_names
from merge_snli.models.runner.predictors import load_predictor
from merge_snli.models.tagger import find_tagger
from merge_snli.problems.problem import Problem
from merge_snli.schema import DEFAULT_CLASSES, NLI_LABELS
from merge_snli.scoring.predict import predict_pairs
from training.corpora import SNLI_TEST, default_folder, problems_of
from training.script import parse, script

# Measured values of a model by name.
Figures: TypeAlias = dict[str, float]

# The values that a model must reach.
REQUIRED: dict[str, Figures] = {
    "mlm-wordpiece": {"top_1": 0.38, "top_200": 0.92},
    "mlm-bpe": {"top_1": 0.28, "top_200": 0.84},
    "nli-a": {"accuracy": 0.77},
    "nli-b": {"accuracy": 0.72},
}

TOP = 200

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
}


def figures_of(folder: Path, problems: Sequence[Problem]) -> Figures:
    """Measure a bundled model on problems.

    Args:
        folder: The model, in a folder with its name.
        problems: The problems.
    """
    if folder.name in MASKED_LMS:
        return masked_lm_figures(folder, forms_of(problems))
    return nli_figures(folder, problems)


def forms_of(problems: Sequence[Problem]) -> list[Form]:
    """Return all forms of all shared nouns, verbs and adjectives."""
    forms: list[Form] = []
    for tagged in tag(problems, find_tagger()):
        for word in shared_words(tagged, DEFAULT_CLASSES):
            forms += (form for _, form in forms_of_word(tagged, word))
    return forms


def masked_lm_figures(folder: Path, evaluated: Sequence[Form]) -> Figures:
    """Evaluate a masked LM folder on forms, in the same way as a generation run.

    Args:
        folder: The model.
        evaluated: The forms.

    Returns:
        Top-1 and top-200 accuracy over the forms whose word is one token, their number and their share of all forms.
    """
    mlm = load_masked_lm(find_model(str(folder)))
    inputs = mlm.encode({str(number): form for number, form in enumerate(evaluated)}).inputs
    originals = inputs.columns[ORIGINAL]
    first = 0
    among = 0
    answered = 0
    with tqdm(total=len(originals), desc=folder.name, unit="form", mininterval=5) as shown:
        for rows, (piece_ids, *_) in mlm.fill(inputs, TOP):
            is_original = piece_ids == originals[rows, np.newaxis]
            first += int(is_original[:, 0].sum())
            among += int(is_original.any(axis=1).sum())
            answered += len(rows)
            shown.update(len(rows))
    return {
        "top_1": first / answered,
        "top_200": among / answered,
        "forms": answered,
        "one_token": answered / len(evaluated),
    }


def nli_figures(folder: Path, problems: Sequence[Problem]) -> Figures:
    """Return a classifier's accuracy on problems, whose labels are compared by name, and their number."""
    model = find_model(str(folder))
    labels = read_output_names(model)
    pairs = [(problem.premise, problem.hypothesis) for problem in problems]
    predictions, _ = predict_pairs(lambda: load_predictor(model, "cpu", ModelOptions()), pairs, None, name=folder.name)
    correct = 0
    for output, problem in zip(predictions.outputs, problems, strict=True):
        correct += labels[output] == NLI_LABELS[problem.label]
    return {"accuracy": correct / len(pairs), "problems": len(pairs)}


def missed(name: str, figures: Figures) -> list[str]:
    """Return the values of a model that are below the required ones."""
    return [figure for figure, minimum in REQUIRED[name].items() if figures[figure] < minimum]


def main() -> int:
    """Run the evaluation and print it as JSON."""
    arguments = parse("measure", __doc__, ARGUMENTS)
    measured = {}
    with script():
        problems = problems_of(arguments.data, SNLI_TEST)
        for name in arguments.only:
            figures = figures_of(arguments.models / name, problems)
            measured[name] = {"figures": figures, "required": REQUIRED[name], "missed": missed(name, figures)}
    sys.stdout.write(f"{json.dumps(measured, indent=2)}\n")
    return int(any(of_model["missed"] for of_model in measured.values()))


if __name__ == "__main__":
    sys.exit(main())
