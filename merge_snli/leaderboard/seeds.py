"""Find the seeds that are hard for a model, and read their texts, which results do not contain."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from merge_snli.card.metadata import license_of, license_text
from merge_snli.comparison.html_page import words_of_seeds
from merge_snli.models.labels import Missing
from merge_snli.scoring.data import ScoredData
from merge_snli.scoring.prompts import Scored, results_of
from merge_snli.scoring.scores import NO_ANSWER_TEXT

NO_ANSWER = Missing.NO_ANSWER.value


def read_texts(data: ScoredData) -> dict[str, Any]:
    """Return the texts of a MERGE data set as JSON values of the page.

    Returns:
        `license` and `terms`; `names`, what the two texts of a seed are called; `seeds`: by id the premise `p`, the
        hypothesis `h`, and the words that are replaced with the offsets of their characters in both; `variants`: by id
        the index of the replaced word, and its replacement.

    Raises:
        InputError: If the data set lacks a column.
    """
    record, own, words = data.stored.record, data.seeds, words_of_seeds(data)
    assert own is not None
    seeds = {
        name: {
            **dict(zip("ph", data.pairs[pair], strict=True)),
            "words": [{"w": word, "p": premise, "h": hypothesis} for word, premise, hypothesis in of_seed],
        }
        for name, pair, of_seed in zip(data.group_ids, own.pairs.tolist(), words, strict=True)
    }
    index = [{word: number for number, (word, *_) in enumerate(of_seed)} for of_seed in words]
    columns = (data.table[name].to_pylist() for name in ("original", "replacement"))
    rows = zip(data.row_ids.to_pylist(), data.row_groups.tolist(), *columns, strict=True)
    return {
        "license": license_of(record) or "not stated",
        "terms": license_text(record),
        "names": record.texts,
        "seeds": seeds,
        "variants": {name: (index[group][original], replacement) for name, group, original, replacement in rows},
    }


@dataclass(frozen=True)
class SeedPredictions:
    """A model's predictions on a seed and its variants.

    Attributes:
        seed_id: Id of the seed.
        gold: Gold label, among the compared labels.
        predicted: Predicted label of the seed itself, or `NO_ANSWER_TEXT`; of several prompts the most frequent one.
        correct: Number of variants with the gold label; of several prompts the sum.
        variants: Number of answers to variants.
        flips: The variants with another prediction than the seed: id of the variant, and prediction.
    """

    seed_id: str
    gold: str
    predicted: str
    correct: int
    variants: int
    flips: tuple[tuple[str, str], ...]

    @property
    def seed_correct(self) -> bool:
        """Whether the prediction on the seed itself is correct."""
        return self.predicted == self.gold


def seeds_by_hardness(scored: Scored) -> list[SeedPredictions]:
    """Return every seed of a result, sorted by its share of correct variants, smallest first."""
    names = dict(enumerate(scored.compared_labels)) | {NO_ANSWER: NO_ANSWER_TEXT}
    answers = [result.answers for result in results_of(scored)]
    first = answers[0]
    of_seeds = [of_prompt.seeds.predicted.tolist() for of_prompt in answers if of_prompt.seeds is not None]
    predicted = [max(labels, key=labels.count) for labels in zip(*of_seeds, strict=True)]
    gold = first.gold[np.unique(first.groups, return_index=True)[1]].tolist()
    order = np.argsort(first.groups, kind="stable")
    rows = np.split(order, np.searchsorted(first.groups[order], np.arange(1, len(first.group_ids))))
    ids, labels = first.row_ids.to_pylist(), [of_prompt.predicted.tolist() for of_prompt in answers]
    seeds = []
    for group, name in enumerate(first.group_ids):
        given = [(row, of_prompt[row]) for of_prompt in labels for row in rows[group].tolist()]
        flipped = [(ids[row], names[label]) for row, label in given if label != predicted[group]]
        seeds.append(
            SeedPredictions(
                seed_id=name,
                gold=names[gold[group]],
                predicted=names[predicted[group]],
                correct=sum(label == gold[group] for _, label in given),
                variants=len(given),
                flips=tuple(dict.fromkeys(flipped)),
            )
        )
    return sorted(seeds, key=lambda seed: (seed.correct / seed.variants, -seed.variants, seed.seed_id))


def inconsistent(seeds: Iterable[SeedPredictions]) -> list[SeedPredictions]:
    """Return the seeds that the model predicts correctly, but not all of their variants."""
    return [seed for seed in seeds if seed.seed_correct and seed.correct < seed.variants]
