"""Measure how often a masked LM predicts the original word of a form, first and among the top 200."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
from tqdm import tqdm

from generation.masked_lms.encoded_forms import EncodedForm
from generation.masked_lms.loading import load_masked_lm
from generation.masked_lms.masked_lm import Fillers
from generation.sentences.forms import Form, forms
from generation.sentences.tagging import tag
from generation.sentences.words import shared_words
from merge_snli.models.finding import find_model
from merge_snli.models.tagger import find_tagger
from merge_snli.problems.reading import Problem
from merge_snli.schema import DEFAULT_CLASSES

TOP = 200
BATCH = 64


@dataclass(frozen=True)
class MaskedLMFigures:
    """Top-1 and top-200 accuracy over the forms whose word is one token, their number and their share of all forms."""

    top_1: float
    top_200: float
    forms: int
    one_token: float


def forms_of(problems: Sequence[Problem]) -> list[Form]:
    """Return all forms of all shared nouns, verbs and adjectives."""
    found: list[Form] = []
    for tagged in tag(problems, find_tagger()):
        for word in shared_words(tagged, DEFAULT_CLASSES):
            found += forms(tagged.premise.text, word.text, word.premise)
            found += forms(tagged.hypothesis.text, word.text, word.hypothesis)
    return found


def masked_lm_figures(folder: Path, evaluated: Sequence[Form]) -> MaskedLMFigures:
    """Evaluate a masked LM folder on forms, in the same way as a generation run."""
    mlm = load_masked_lm(find_model(str(folder)))
    encoded = [item for item in map(mlm.encode, evaluated) if isinstance(item, EncodedForm)]
    encoded.sort(key=lambda item: len(item.ids))
    fillers: list[Fillers] = []
    with tqdm(total=len(encoded), desc=folder.name, unit="form", mininterval=5) as bar:
        for _, of_length in groupby(encoded, key=lambda item: len(item.ids)):
            same = list(of_length)
            for start in range(0, len(same), BATCH):
                fillers += mlm.fill(same[start : start + BATCH], TOP)
                bar.update(len(same[start : start + BATCH]))
    first = np.mean([filler.piece_ids[0] == filler.original_id for filler in fillers])
    among = np.mean([filler.original_id in filler.piece_ids for filler in fillers])
    return MaskedLMFigures(float(first), float(among), len(fillers), len(fillers) / len(evaluated))
