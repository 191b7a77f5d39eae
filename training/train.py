"""Train the bundled models: two masked LMs, `nli-a`, and `nli-b`, which is made from `nli-a`.

python -m training.train mlm-bpe --data DIR
"""

import copy
import logging
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertForMaskedLM,
    BertForSequenceClassification,
    DataCollatorForLanguageModeling,
    DataCollatorWithPadding,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from merge_snli.base.errors import InputError
from merge_snli.dataset.label_spellings import Labels
from merge_snli.dataset.out_folder import new_content
from merge_snli.embedded import FOLDER
from merge_snli.problems.problem import Problem
from merge_snli.schema import NLI_LABELS
from training.corpora import HELD_OUT, SNLI_DEV, default_folder, problems_of, training_problems
from training.finetuning.options import RECIPES, Recipe
from training.finetuning.run import encode
from training.measure import figures_of
from training.script import parse, script
from training.start import bert, frequent_pieces, learn_bpe, roberta_masked_lm, student, wordpiece_tokenizer
from training.trainer import rows_of, train

logger = logging.getLogger(__name__)

CHECKPOINTS = Path(__file__).resolve().parent / "checkpoints"
ALL = "all"
SMALL = RECIPES["small"]

BPE = "mlm-bpe"
TEACHER, STUDENT = "nli-a", "nli-b"
TEACHER_LAYERS = (1, 3)
STUDENT_LABELS = ("contradiction", "entailment", "neutral")

# The files of a bundled model besides its card.
MODEL_FILES = ("config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors")
SENTENCE_ENDS = (".", "!", "?", '"', "'")


@dataclass(frozen=True)
class BundledModel:
    """How a bundled model is made.

    Attributes:
        recipe: The hyperparameters.
        seed: The random seed.
        labels: The labels of a classifier; empty for a masked LM.
        layers: Number of layers.
        pieces: Number of pieces of its vocabulary.
    """

    recipe: Recipe
    seed: int
    labels: Labels = ()
    layers: int = 2
    pieces: int = 5_500


# The bundled models in the order in which they are trained.
MODELS = {
    "mlm-wordpiece": BundledModel(
        replace(SMALL, learning_rate=6e-4, epochs=8, batch_size=128), seed=1, layers=4, pieces=8_500
    ),
    BPE: BundledModel(replace(SMALL, learning_rate=8e-4, epochs=5, batch_size=128), seed=2, pieces=6_600),
    TEACHER: BundledModel(replace(SMALL, learning_rate=1.2e-4, epochs=4), seed=3, labels=NLI_LABELS, layers=4),
    STUDENT: BundledModel(SMALL, seed=4, labels=STUDENT_LABELS),
}

ARGUMENTS: dict[str, dict[str, Any]] = {
    "names": {"nargs": "*", "choices": (*MODELS, ALL), "default": ALL, "help": "models to train (default: all)"},
    "--data": {
        "type": Path,
        "default": default_folder(),
        "help": "folder that contains snli/ and mnli/ (default: %(default)s)",
    },
    "--out": {"type": Path, "default": FOLDER, "help": "parent of the model folders (default: %(default)s)"},
    "--checkpoints": {"type": Path, "default": CHECKPOINTS, "help": "folder for checkpoints (default: %(default)s)"},
    "--steps": {"type": int, "default": -1, "help": "number of steps, for a trial run (default: those of all epochs)"},
}


def sentences_of(problems: Sequence[Problem]) -> list[str]:
    """Return the distinct premises and hypotheses in order, each with a full stop if it has no end.

    Forms that a masked LM is asked have one, too.
    """
    sentences: dict[str, None] = {}
    for problem in problems:
        for sentence in (problem.premise, problem.hypothesis):
            sentences[sentence if sentence.endswith(SENTENCE_ENDS) else f"{sentence}."] = None
    return list(sentences)


def start_model(name: str, sentences: Sequence[str], out: Path) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Return a bundled model before training, and its tokenizer.

    Args:
        name: A key of `MODELS`.
        sentences: The sentences of the training problems.
        out: Parent of the model folders.
    """
    made = MODELS[name]
    if name == STUDENT:
        folder = out / TEACHER
        if not (folder / "config.json").is_file():
            raise InputError(f"{folder} does not exist: run python -m training.train {TEACHER} first")
        teacher = AutoModelForSequenceClassification.from_pretrained(folder, dtype=torch.float32)
        return student(teacher, TEACHER_LAYERS, made.labels), AutoTokenizer.from_pretrained(folder)
    if name == BPE:
        tokenizer = learn_bpe(sentences, made.pieces)
        pieces = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
        return roberta_masked_lm(pieces, made.layers), tokenizer
    pieces = frequent_pieces(sentences, made.pieces)
    kind = BertForSequenceClassification if made.labels else BertForMaskedLM
    return bert(kind, pieces, made.layers, made.labels), wordpiece_tokenizer(pieces)


def train_model(name: str, *, data: Path, out: Path, checkpoints: Path, steps: int = -1) -> None:
    """Train a bundled model, write its folder, and evaluate it on held-out problems.

    Args:
        name: A key of `MODELS`.
        data: The data folder.
        out: Parent of the model folders.
        checkpoints: Folder for checkpoints.
        steps: The number of steps; -1 for all epochs.
    """
    made = MODELS[name]
    problems = training_problems(data)
    sentences = sentences_of(problems)
    torch.manual_seed(made.seed)  # for the parts of the model that are new
    model, tokenizer = start_model(name, sentences, out)
    length = made.recipe.max_length
    collator: Any
    if made.labels:
        rows = encode(problems, tokenizer, made.labels, length)
        collator = DataCollatorWithPadding(tokenizer)
    else:
        rows = rows_of(tokenizer(sentences, truncation=True, max_length=length, return_special_tokens_mask=True))
        collator = DataCollatorForLanguageModeling(tokenizer, mask_replace_prob=0.9, random_replace_prob=0.05)
    train(model, rows, collator, made.recipe, checkpoints / name, seed=made.seed, bf16=True, max_steps=steps)
    export(model, tokenizer, out / name)
    logger.info("held-out SNLI dev: %s", figures_of(out / name, problems_of(data, SNLI_DEV)[-HELD_OUT:]))


def export(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, folder: Path) -> None:
    """Write a model in float16 and its tokenizer; the card in `folder` stays."""
    half = copy.deepcopy(model).half()  # type: ignore[no-untyped-call]
    with new_content(folder, MODEL_FILES) as staged:
        half.save_pretrained(staged)
        tokenizer.save_pretrained(staged)
        # save_pretrained makes weights readable for the owner only, but the folder is part of a package.
        (staged / "model.safetensors").chmod(0o644)


def main(arguments: list[str] | None = None) -> None:
    """Train the named models."""
    parsed = parse("train", __doc__, ARGUMENTS, arguments)
    with script():
        names = MODELS if ALL in parsed.names else parsed.names
        for name in names:
            train_model(name, data=parsed.data, out=parsed.out, checkpoints=parsed.checkpoints, steps=parsed.steps)


if __name__ == "__main__":
    main(sys.argv[1:])
