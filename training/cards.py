"""Write the model cards of the embedded models from a template, their recipes and their measured values."""

from __future__ import annotations

import datetime
import textwrap
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from merge_snli.base.files import write_text
from merge_snli.embedded import MASKED_LMS
from training import train_mlm_bpe, train_mlm_wordpiece, train_nli_a, train_nli_b

TEMPLATE = Path(__file__).with_name("card.md")
WIDTH = 118

SINGLY = "Used as single, distinct sentences. MultiNLI sentences are sampled half as often as SNLI sentences."
AS_PAIRS = "Used as pairs with gold labels. MultiNLI pairs are sampled 0.6 times as often as SNLI pairs."
MASKING = (
    "Nouns, verbs and other open-class words of one piece are chosen with probability 0.23, all other pieces with "
    "0.08. Of the chosen pieces 90% are masked and 5% replaced at random; only chosen pieces contribute to the loss."
)
NEW_HEAD = "Pooler and classifier are new and have four times the learning rate of the other layers."
HEAD = "The head is new and its decoder is tied to the embeddings."


@dataclass(frozen=True)
class Card:
    """Texts of a model card that are specific to the model."""

    script: ModuleType
    what: str
    data: str
    how: str
    start: str = ""


CARDS = {
    "mlm-wordpiece": Card(
        train_mlm_wordpiece,
        "An uncased BERT masked language model with a WordPiece vocabulary reduced to the most frequent pieces.",
        SINGLY,
        f"{HEAD} {MASKING}",
    ),
    "mlm-bpe": Card(
        train_mlm_bpe,
        "A cased RoBERTa masked language model with a byte-level BPE vocabulary learned from its training text.",
        SINGLY,
        "The embedding of each piece is initialized with the mean of the base embeddings of its lower-cased text. "
        f"{HEAD} {MASKING}",
    ),
    "nli-a": Card(
        train_nli_a,
        "A BERT classifier of premise-hypothesis pairs with the labels entailment, neutral, contradiction.",
        AS_PAIRS,
        NEW_HEAD,
    ),
    "nli-b": Card(
        train_nli_b,
        "A BERT classifier of premise-hypothesis pairs, smaller than `nli-a` and with another label order: "
        "contradiction, entailment, neutral.",
        AS_PAIRS,
        "Its targets are the mean of the gold labels and the probabilities that `nli-a` predicts.",
        "layers 1 and 3, the embeddings and the head of `nli-a`, which was initialized from layers 0 to 3",
    ),
}


def write_card(folder: Path, name: str, figures: dict[str, float]) -> None:
    """Write a model folder's README.md with values from `training.measure`."""
    write_text(folder / "README.md", card_text(name, figures))


def card_text(name: str, figures: dict[str, float]) -> str:
    """Return the text of a model's card."""
    card = CARDS[name]
    recipe = card.script.RECIPE
    masked_lm = name in MASKED_LMS
    text = TEMPLATE.read_text(encoding="utf-8").format(
        name=name,
        pipeline_tag="fill-mask" if masked_lm else "text-classification",
        what=card.what,
        data=card.data,
        how=card.how,
        module=card.script.__name__.rpartition(".")[2],
        layers=card.script.LAYERS,
        start=card.start or f"layers 0 to {card.script.LAYERS - 1} and the word embeddings",
        pieces=card.script.PIECES,
        steps=recipe.steps,
        batch_size=recipe.batch_size,
        items="sentences" if masked_lm else "pairs",
        learning_rate=recipe.learning_rate,
        seed=recipe.seed,
        date=datetime.datetime.now(tz=datetime.UTC).strftime("%B %Y"),
        figures=_masked_lm_figures(figures) if masked_lm else _nli_figures(figures),
    )
    return "\n".join(map(_wrapped, text.splitlines())) + "\n"


def _wrapped(line: str) -> str:
    indent = "  " if line.startswith("- ") else ""
    return textwrap.fill(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _masked_lm_figures(figures: dict[str, float]) -> str:
    return (
        f"On the {figures['forms']:,} forms of shared nouns, verbs and adjectives of SNLI test whose word is one token "
        f"({figures['one_token']:.1%} of all forms), top-1 accuracy is {figures['top_1']:.1%} and top-200 accuracy is "
        f"{figures['top_200']:.1%}. A form is a sentence with one occurrence of a shared word masked; a shared word "
        "occurs in both premise and hypothesis."
    )


def _nli_figures(figures: dict[str, float]) -> str:
    return f"Accuracy on all {figures['problems']:,} problems of SNLI test: {figures['accuracy']:.1%}."
