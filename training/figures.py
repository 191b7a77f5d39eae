"""Measure masked LMs by the original words of forms, and classifiers by their accuracy."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

import numpy as np
import torch
from tqdm import tqdm
from transformers import pipeline

from generation.masked_lms.encoded_forms import ORIGINAL
from generation.masked_lms.loading import load_masked_lm
from generation.sentences.forms import Form
from generation.sentences.tagging import tag
from generation.sentences.words import forms_of_word, shared_words
from merge_snli.embedded import MASKED_LMS
from merge_snli.models.finding import find_model
from merge_snli.models.tagger import find_tagger
from merge_snli.problems.problem import Problem
from merge_snli.schema import DEFAULT_CLASSES, NLI_LABELS

# Measured values of a model by name.
Figures: TypeAlias = dict[str, float]

TOP = 200

PAIRS_PER_BATCH = 64


def figures_of(folder: Path, problems: tuple[Problem, ...]) -> Figures:
    """Measure a bundled model on problems.

    Args:
        folder: The model, in a folder with its name.
        problems: The problems.
    """
    if folder.name in MASKED_LMS:
        return masked_lm_figures(folder, forms_of(problems))
    return nli_figures(folder, problems)


@cache
def forms_of(problems: tuple[Problem, ...]) -> list[Form]:
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
    first, among, answered = 0, 0, 0
    with tqdm(total=len(originals), desc=folder.name, unit="form", mininterval=5) as shown:
        for rows, (piece_ids, *_) in mlm.fill(inputs, np.arange(len(originals)), TOP):
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
    classify = pipeline("text-classification", model=str(folder), dtype=torch.float32, device="cpu")
    # Sorted by length to reduce padding.
    ordered = sorted(problems, key=lambda problem: len(problem.premise) + len(problem.hypothesis))
    pairs = ({"text": problem.premise, "text_pair": problem.hypothesis} for problem in ordered)
    answers: Iterator[dict[str, str]] = classify(pairs, batch_size=PAIRS_PER_BATCH)  # type: ignore[assignment, arg-type]
    shown = tqdm(answers, total=len(ordered), desc=folder.name, unit="pair", mininterval=5)
    correct = [answer["label"] == NLI_LABELS[problem.label] for answer, problem in zip(shown, ordered, strict=True)]
    return {"accuracy": sum(correct) / len(correct), "problems": len(correct)}
