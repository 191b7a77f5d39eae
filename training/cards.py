"""The card of each embedded model: a template, the recipe it was trained with, and what was measured."""

from __future__ import annotations

import datetime
import textwrap
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from merge_snli.embedded import MASKED_LMS
from merge_snli.files import write_text
from training import train_mlm_bpe, train_mlm_wordpiece, train_nli_a, train_nli_b

TEMPLATE = Path(__file__).with_name("card.md")
WIDTH = 118

SINGLY = "Of their premises and hypotheses each sentence counts once, and by itself; MultiNLI's come up half as often."
AS_PAIRS = "As pairs of premise and hypothesis with their gold labels; MultiNLI's come up 0.6 times as often."
MASKING = (
    "Nouns, verbs and other open-class words of one piece are chosen with probability 0.23, all other pieces with "
    "0.08; of the chosen ones 90 % are masked and 5 % replaced at random, and the loss is over these alone."
)
NEW_HEAD = "Pooler and classifier are new and learn four times as fast as the rest."
HEAD = "The head is new and its decoder tied to the embeddings."


@dataclass(frozen=True)
class Card:
    """What a card says of its model beyond its recipe and figures."""

    script: ModuleType
    what: str
    data: str
    how: str
    start: str = ""


CARDS = {
    "mlm-wordpiece": Card(
        train_mlm_wordpiece,
        "An uncased masked language model in BERT's form, its WordPiece vocabulary cut to the most frequent pieces.",
        SINGLY,
        f"{HEAD} {MASKING}",
    ),
    "mlm-bpe": Card(
        train_mlm_bpe,
        "A cased masked language model in RoBERTa's form, with a byte-level BPE vocabulary learnt from its own text.",
        SINGLY,
        "Each piece's embedding starts as the mean of the base's embeddings of its text in lower case. "
        f"{HEAD} {MASKING}",
    ),
    "nli-a": Card(
        train_nli_a,
        "A classifier of premise and hypothesis in BERT's form; labels entailment, neutral, contradiction.",
        AS_PAIRS,
        NEW_HEAD,
    ),
    "nli-b": Card(
        train_nli_b,
        "A classifier of premise and hypothesis in BERT's form, smaller than `nli-a` and with its labels in another "
        "order: contradiction, entailment, neutral.",
        AS_PAIRS,
        "Its targets are half the gold label and half what `nli-a` thinks of the pair.",
        "layers 1 and 3, the embeddings and the head of `nli-a`, which itself starts from layers 0 to 3",
    ),
}


def write_card(folder: Path, name: str, figures: dict[str, float]) -> None:
    """Write a model folder's README.md with figures of `training.measure`."""
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
        f"Over the {figures['forms']:,} forms of shared nouns, verbs and adjectives of SNLI test whose word is one "
        f"token ({figures['one_token']:.1%} of all forms), the original word is the most probable filler in "
        f"{figures['top_1']:.1%} and among the 200 most probable ones in {figures['top_200']:.1%}. A form is a "
        "sentence with one occurrence masked of a word that stands in premise and hypothesis."
    )


def _nli_figures(figures: dict[str, float]) -> str:
    return f"Accuracy on all {figures['problems']:,} problems of SNLI test: {figures['accuracy']:.1%}."
