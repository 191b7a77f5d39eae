"""Measure the accuracy of a classifier with a transformers pipeline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from tqdm import tqdm
from transformers import pipeline

from merge_snli.problems.reading import Problem
from merge_snli.schema import NLI_LABELS

BATCH = 64


def nli_accuracy(folder: Path, problems: Sequence[Problem]) -> float:
    """Return a classifier's accuracy on problems; labels are compared by name."""
    classify = pipeline("text-classification", model=str(folder), dtype=torch.float32, device="cpu")
    # Sorted by length to reduce padding.
    ordered = sorted(problems, key=lambda problem: len(problem.premise) + len(problem.hypothesis))
    pairs = ({"text": problem.premise, "text_pair": problem.hypothesis} for problem in ordered)
    answers: Iterator[dict[str, str]] = classify(pairs, batch_size=BATCH)  # type: ignore[assignment, arg-type]
    shown = tqdm(answers, total=len(ordered), desc=folder.name, unit="pair", mininterval=5)
    correct = [answer["label"] == NLI_LABELS[problem.label] for answer, problem in zip(shown, ordered, strict=True)]
    return sum(correct) / len(correct)
