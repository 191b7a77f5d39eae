"""Train the bundled models: two masked LMs, `nli-a`, and `nli-b`, which is distilled from `nli-a`.

python -m training.train mlm-bpe --data DIR
"""

import dataclasses
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer, PreTrainedModel

from merge_snli.base.errors import InputError
from merge_snli.embedded import FOLDER
from merge_snli.schema import NLI_LABELS
from training.base import Base, bert_classifier, bert_masked_lm, bert_student, export, load_base, roberta_masked_lm
from training.figures import figures_of
from training.loop import LoopRecipe
from training.mlm import masked_lm_sentences, train_masked_lm
from training.nli import TrainingSet, gold_training_set, label_logits, train_classifier
from training.script import SNLI_DEV, default_folder, held_out_problems, parse, script
from training.vocabulary import (
    bare_words,
    classifier_pieces,
    count_pieces,
    cut_embeddings,
    cut_vocabulary,
    learn_bpe,
    mapped_embeddings,
    wordpiece_tokenizer,
)

logger = logging.getLogger(__name__)

CHECKPOINTS = Path(__file__).resolve().parent / "checkpoints"
THREADS = 2
ALL = "all"

SNLI_TIMES = 10
BARE_WORDS = 250
TEACHER = "nli-a"
TEACHER_LAYERS = (1, 3)
STUDENT_LABELS = ("contradiction", "entailment", "neutral")
GOLD_SHARE = 0.5

# A model before training, its tokenizer and its training data.
Prepared: TypeAlias = tuple[PreTrainedModel, Any, dict[str, float] | TrainingSet]

MASKING = (
    "Nouns, verbs and other open-class words of one piece are chosen with probability 0.23, all other pieces with "
    "0.08. Of the chosen pieces 90% are masked and 5% replaced at random; only chosen pieces contribute to the loss."
)
HEAD = "The head is new and its decoder is tied to the embeddings."


@dataclass(frozen=True)
class BundledModel:
    """How a bundled model is made, and what its card says.

    Attributes:
        pieces: Number of pieces of its vocabulary.
        layers: Number of layers.
        recipe: The hyperparameters.
        prepare: Returns the model before training, from this value, the base model, the data folder and the parent of
            the folders.
        what: What it is.
        how: How it was trained, besides the recipe.
        start: What it was initialized from; empty for the first layers and the embeddings of the base model.
    """

    pieces: int
    layers: int
    recipe: LoopRecipe
    prepare: Callable[["BundledModel", Base, Path, Path], Prepared]
    what: str
    how: str
    start: str = ""


def _wordpiece_masked_lm(made: BundledModel, base: Base, data: Path, _: Path) -> Prepared:
    sentences = masked_lm_sentences(data)
    pieces = cut_vocabulary(base.tokenizer.get_vocab(), count_pieces(base, sentences), made.pieces)
    model = bert_masked_lm(base, cut_embeddings(base, pieces), made.layers)
    return model, wordpiece_tokenizer(pieces), sentences


def _bpe_masked_lm(made: BundledModel, base: Base, data: Path, _: Path) -> Prepared:
    sentences = masked_lm_sentences(data)
    times = {sentence: SNLI_TIMES if share == 1 else 1 for sentence, share in sentences.items()}
    tokenizer = learn_bpe(times | bare_words(times, BARE_WORDS), made.pieces)
    pieces = tokenizer.convert_ids_to_tokens(list(range(len(tokenizer))))
    model = roberta_masked_lm(base, mapped_embeddings(base, pieces), made.layers)
    return model, tokenizer, sentences


def _classifier(made: BundledModel, base: Base, data: Path, _: Path) -> Prepared:
    pieces = classifier_pieces(base, data, made.pieces)
    model = bert_classifier(base, cut_embeddings(base, pieces), made.layers, NLI_LABELS)
    return model, wordpiece_tokenizer(pieces), gold_training_set(data, NLI_LABELS)


def _student(made: BundledModel, base: Base, data: Path, out: Path) -> Prepared:
    teacher, tokenizer = load_teacher(out / TEACHER)
    pieces = classifier_pieces(base, data, made.pieces)
    model = bert_student(teacher, tokenizer.convert_tokens_to_ids(pieces), TEACHER_LAYERS, STUDENT_LABELS)
    gold = gold_training_set(data, STUDENT_LABELS)
    return model, wordpiece_tokenizer(pieces), with_teacher_targets(gold, teacher, tokenizer)


def load_teacher(folder: Path) -> tuple[PreTrainedModel, Any]:
    """Load the teacher of `nli-b` and its tokenizer."""
    if not (folder / "config.json").is_file():
        raise InputError(
            f"{folder}, the teacher of nli-b, does not exist: run python -m training.train {TEACHER} first"
        )
    model = AutoModelForSequenceClassification.from_pretrained(folder, dtype=torch.float32)
    return model, AutoTokenizer.from_pretrained(folder)


def with_teacher_targets(training_set: TrainingSet, teacher: PreTrainedModel, tokenizer: Any) -> TrainingSet:  # noqa: ANN401 - any tokenizer
    """Return the pairs with the mean of gold labels and teacher probabilities as targets."""
    logits = label_logits(teacher, tokenizer, training_set.pairs)
    numbers = teacher.config.label2id or {}
    probabilities = logits.softmax(dim=1)
    predicted = probabilities[:, [numbers[label] for label in STUDENT_LABELS]]
    targets = GOLD_SHARE * training_set.targets + (1 - GOLD_SHARE) * predicted
    return dataclasses.replace(training_set, targets=targets)


# The bundled models in the order in which they are trained.
MODELS = {
    "mlm-wordpiece": BundledModel(
        pieces=8_500,
        layers=4,
        recipe=LoopRecipe(steps=1_800, learning_rate=6e-4, batch_size=128, seed=1),
        prepare=_wordpiece_masked_lm,
        what="An uncased BERT masked language model with a WordPiece vocabulary reduced to the most frequent pieces.",
        how=f"{HEAD} {MASKING}",
    ),
    "mlm-bpe": BundledModel(
        pieces=6_600,
        layers=2,
        recipe=LoopRecipe(steps=1_000, learning_rate=8e-4, batch_size=128, seed=2),
        prepare=_bpe_masked_lm,
        what="A cased RoBERTa masked language model with a byte-level BPE vocabulary learned from its training text.",
        how="The embedding of each piece is initialized with the mean of the base embeddings of its lower-cased text. "
        f"{HEAD} {MASKING}",
    ),
    "nli-a": BundledModel(
        pieces=5_500,
        layers=4,
        recipe=LoopRecipe(steps=1_900, learning_rate=1.2e-4, batch_size=32, seed=3, warmup=0.1, head_scale=4.0),
        prepare=_classifier,
        what="A BERT classifier of premise-hypothesis pairs with the labels entailment, neutral, contradiction.",
        how="Pooler and classifier are new and have four times the learning rate of the other layers.",
    ),
    "nli-b": BundledModel(
        pieces=3_500,
        layers=len(TEACHER_LAYERS),
        recipe=LoopRecipe(steps=1_400, learning_rate=2e-4, batch_size=32, seed=4, warmup=0.1),
        prepare=_student,
        what="A BERT classifier of premise-hypothesis pairs, smaller than `nli-a` and with another label order: "
        "contradiction, entailment, neutral.",
        how="Its targets are the mean of the gold labels and the probabilities that `nli-a` predicts.",
        start="layers 1 and 3, the embeddings and the head of `nli-a`, which was initialized from layers 0 to 3",
    ),
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
    "--steps": {"type": int, "default": None, "help": "train for fewer steps, for a trial run"},
}


def train_model(name: str, *, data: Path, out: Path, checkpoints: Path, steps: int | None = None) -> None:
    """Train a bundled model, write its folder, and evaluate it on held-out problems.

    Args:
        name: A key of `MODELS`.
        data: The data folder.
        out: Parent of the model folders.
        checkpoints: Folder for checkpoints.
        steps: Train for fewer steps.
    """
    made = MODELS[name]
    checkpoint = checkpoints / f"{name}.pt"
    recipe = made.recipe
    if steps is not None:
        recipe = dataclasses.replace(recipe, steps=min(steps, recipe.steps))
    torch.manual_seed(recipe.seed)  # for the parts of the model that are new
    model, tokenizer, examples = made.prepare(made, load_base(), data, out)
    if isinstance(examples, TrainingSet):
        train_classifier(model, tokenizer, examples, recipe, checkpoint)
    else:
        train_masked_lm(model, tokenizer, examples, recipe, checkpoint)
    export(model, tokenizer, out / name)
    logger.info("held-out SNLI dev: %s", figures_of(out / name, held_out_problems(data, SNLI_DEV)))


def main(arguments: list[str] | None = None) -> None:
    """Train the named models on at most two threads."""
    parsed = parse("train", __doc__, ARGUMENTS, arguments)
    with script():
        torch.set_num_threads(min(torch.get_num_threads(), THREADS))
        names = MODELS if ALL in parsed.names else parsed.names
        for name in names:
            train_model(name, data=parsed.data, out=parsed.out, checkpoints=parsed.checkpoints, steps=parsed.steps)


if __name__ == "__main__":
    main(sys.argv[1:])
