"""The numbers of the paper (arXiv:2510.24295) as data: Tables 2, 4, 6 and 9."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

PROBLEMS = 9_824
"""Problems of SNLI test that have a gold label."""


class Composition(NamedTuple):
    """A row of Table 2: seeds, variants per seed, labels in percent, and unique variants per subsample."""

    seeds: int
    average: float
    neutral: float
    contradiction: float
    entailment: float
    unique: int


TABLE_2: Mapping[str, Composition] = {
    "noun": Composition(1808, 90.8, 29.4, 20.2, 50.3, 4121),
    "verb": Composition(506, 86.8, 30.6, 18.6, 50.8, 1115),
    "adj": Composition(259, 77.6, 32.8, 22.4, 44.8, 460),
    "all": Composition(2222, 77.4, 30.0, 20.4, 49.5, 5781),
}


class SharedWords(NamedTuple):
    """A row of Table 4: problems that share a word of the class, and their labels in percent."""

    problems: int
    neutral: float
    contradiction: float
    entailment: float


TABLE_4: Mapping[str, SharedWords] = {
    "noun": SharedWords(7363, 33.4, 28.7, 37.8),
    "verb": SharedWords(3780, 31.8, 28.2, 40.0),
    "adj": SharedWords(1067, 33.6, 23.7, 42.6),
    "adv": SharedWords(76, 26.3, 13.2, 60.5),
}


class Dropped(NamedTuple):
    """A row of Table 6: percent of 200 fillers that are of another class, and that are not more probable."""

    class_premise: float
    class_hypothesis: float
    probability_premise: float
    probability_hypothesis: float


TABLE_6: Mapping[tuple[str, str], Dropped] = {
    ("ALBERT-B", "adj"): Dropped(45.7, 48.4, 87.6, 80.4),
    ("ALBERT-B", "noun"): Dropped(7.2, 7.8, 88.4, 79.9),
    ("ALBERT-B", "verb"): Dropped(26.5, 29.3, 91.1, 87.1),
    ("ALBERT-XXL", "adj"): Dropped(45.3, 48.4, 87.8, 78.1),
    ("ALBERT-XXL", "noun"): Dropped(6.1, 6.7, 89.6, 75.9),
    ("ALBERT-XXL", "verb"): Dropped(24.5, 24.5, 92.1, 84.5),
    ("BART-B", "adj"): Dropped(63.9, 65.8, 90.2, 84.2),
    ("BART-B", "noun"): Dropped(28.3, 26.6, 91.3, 84.8),
    ("BART-B", "verb"): Dropped(38.7, 37.2, 90.0, 88.5),
    ("BART-L", "adj"): Dropped(64.0, 65.9, 89.4, 83.4),
    ("BART-L", "noun"): Dropped(30.6, 30.8, 91.5, 83.3),
    ("BART-L", "verb"): Dropped(37.2, 38.1, 88.7, 87.6),
    ("BERT-B", "adj"): Dropped(45.1, 48.7, 93.5, 89.6),
    ("BERT-B", "noun"): Dropped(10.6, 11.6, 92.2, 85.8),
    ("BERT-B", "verb"): Dropped(26.4, 28.6, 92.5, 90.4),
    ("BERT-L", "adj"): Dropped(44.4, 47.4, 94.5, 91.0),
    ("BERT-L", "noun"): Dropped(10.4, 12.3, 94.0, 87.9),
    ("BERT-L", "verb"): Dropped(28.9, 29.7, 94.5, 92.6),
    ("Electra-B", "adj"): Dropped(45.4, 48.4, 89.6, 84.9),
    ("Electra-B", "noun"): Dropped(11.0, 11.3, 88.2, 82.4),
    ("Electra-B", "verb"): Dropped(27.6, 27.5, 88.3, 88.9),
    ("Electra-L", "adj"): Dropped(45.6, 49.0, 91.1, 86.2),
    ("Electra-L", "noun"): Dropped(10.7, 10.7, 90.9, 85.0),
    ("Electra-L", "verb"): Dropped(25.5, 26.5, 90.5, 89.5),
    ("RoBERTa-B", "adj"): Dropped(49.2, 52.3, 93.9, 89.1),
    ("RoBERTa-B", "noun"): Dropped(7.7, 8.2, 94.2, 88.3),
    ("RoBERTa-B", "verb"): Dropped(31.1, 33.8, 95.0, 91.8),
    ("RoBERTa-L", "adj"): Dropped(47.7, 50.9, 95.2, 91.3),
    ("RoBERTa-L", "noun"): Dropped(7.7, 8.1, 95.7, 90.2),
    ("RoBERTa-L", "verb"): Dropped(33.2, 32.3, 96.6, 93.6),
}

SEVERAL = "several"
"""Variants that at least two masked LMs validated, `Both` in the paper."""

TABLE_9: Mapping[str, tuple[float, float]] = {
    "BERT-B": (473.7, 9572.0),
    "ALBERT-B": (2085.8, 4073.9),
    "Electra-L": (700.1, 7445.4),
    "BERT-L": (228.0, 9572.0),
    "ALBERT-XXL": (4114.0, 4073.9),
    "Electra-B": (2128.2, 7445.4),
    "RoBERTa-B": (355.9, 9729.8),
    "RoBERTa-L": (188.0, 9729.8),
    SEVERAL: (41186.3, 10273.7),
}
"""Average number of variants per subsample that only this masked LM validated, and that one of another family did."""
