"""Train an NLI classifier."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy
from tqdm import tqdm
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from merge_snli.problems.problem import Problem
from merge_snli.schema import NLI_LABELS
from training.loop import LoopRecipe, batches_of, train
from training.script import MNLI_DEV, SNLI_DEV, training_problems

MAX_PIECES = 64
MNLI_SHARE = 0.6
Pair = tuple[str, str]


@dataclass(frozen=True)
class TrainingSet:
    """Training data of a classifier.

    Attributes:
        pairs: Premises and hypotheses.
        targets: A distribution over the model's labels per pair, shape (pairs, labels).
        shares: The probability of each pair to be in an epoch.
    """

    pairs: list[Pair]
    targets: torch.Tensor
    shares: list[float]


def gold_training_set(data: Path, labels: Sequence[str]) -> TrainingSet:
    """Return the training problems with gold labels; MultiNLI pairs have a lower share than SNLI pairs."""
    snli = training_problems(data, SNLI_DEV)
    mnli = training_problems(data, MNLI_DEV)
    problems = snli + mnli
    shares = [1.0] * len(snli) + [MNLI_SHARE] * len(mnli)
    return TrainingSet([pair_of(problem) for problem in problems], gold_targets(problems, labels), shares)


def pair_of(problem: Problem) -> Pair:
    """Return the premise and the hypothesis of a problem."""
    return problem.premise.strip(), problem.hypothesis.strip()


def gold_targets(problems: Sequence[Problem], labels: Sequence[str]) -> torch.Tensor:
    """Return one-hot targets, shape (problems, labels)."""
    numbers = [labels.index(NLI_LABELS[problem.label]) for problem in problems]
    return torch.eye(len(labels))[numbers]


def train_classifier(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    training_set: TrainingSet,
    recipe: LoopRecipe,
    checkpoint: Path,
) -> None:
    """Train a classifier in place; see `loop.train`."""
    premises, hypotheses = zip(*training_set.pairs, strict=True)
    encoded = tokenizer(list(premises), list(hypotheses), truncation=True, max_length=MAX_PIECES)
    lengths = [len(ids) for ids in encoded["input_ids"]]
    batches = batches_of(lengths, training_set.shares, recipe)

    def loss_of(_: int, items: list[int]) -> torch.Tensor:
        chosen = {name: [rows[item] for item in items] for name, rows in encoded.items()}
        batch = tokenizer.pad(chosen, return_tensors="pt")
        return cross_entropy(model(**batch).logits, training_set.targets[items])

    train(model, loss_of, batches, recipe, checkpoint)


@torch.inference_mode()
def label_logits(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, pairs: Sequence[Pair], *, batch_size: int = 64
) -> torch.Tensor:
    """Return a classifier's logits for pairs in the model's label order, shape (pairs, labels)."""
    model.train(False)
    order = sorted(range(len(pairs)), key=lambda item: sum(map(len, pairs[item])))
    result = torch.zeros(len(pairs), len(model.config.id2label or {}))
    for start in tqdm(range(0, len(order), batch_size), desc="pairs", mininterval=5):
        items = order[start : start + batch_size]
        premises, hypotheses = zip(*(pairs[item] for item in items), strict=True)
        batch = tokenizer(list(premises), list(hypotheses), padding=True, truncation=True, return_tensors="pt")
        with torch.autocast("cpu", dtype=torch.bfloat16):
            result[items] = model(**batch).logits.float()
    return result
