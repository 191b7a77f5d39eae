"""Train a masked LM: choose the pieces of a sentence that it has to predict, and mask them."""

import logging
from pathlib import Path

import numpy as np
import torch
from tokenizers import Encoding
from torch.nn.functional import cross_entropy
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from merge_snli.base.arrays import Floats, Ints
from training.loop import LoopRecipe, batches_of, train
from training.script import MNLI_DEV, SNLI_DEV, held_out_problems, training_problems, unique_sentences, with_stops
from training.vocabulary import FUNCTION_WORDS

logger = logging.getLogger(__name__)

OPEN_RATE = 0.23
OTHER_RATE = 0.08
MASK_SHARE = 0.9
RANDOM_SHARE = 0.05
IGNORED = -100
MAX_PIECES = 64
MNLI_SHARE = 0.5


def choice_rates(text: str, encoding: Encoding) -> Floats:
    """Return the probability that each piece of a sentence is chosen.

    Open-class words of one piece have the highest rate, since MERGE masks these. Special tokens are never chosen, nor
    is a last word without a full stop after it, since MERGE adds a full stop to such forms.
    """
    words = encoding.word_ids
    rates = np.full(len(words), OTHER_RATE)
    for piece, word in enumerate(words):
        start, end = encoding.offsets[piece]
        part = text[start:end]
        is_unstopped = end == len(text) and part[-1:].isalnum()
        if word is None or is_unstopped:
            rates[piece] = 0.0
        elif words.count(word) == 1 and _is_open(part.strip()):
            rates[piece] = OPEN_RATE
    return rates


def _is_open(word: str) -> bool:
    return len(word) > 1 and word.isalpha() and word.lower() not in FUNCTION_WORDS


def mask_batch(
    sentences: list[Ints], rates: list[Floats], rng: np.random.Generator, *, mask_id: int, pad_id: int, regular: Ints
) -> tuple[Ints, Ints, Ints]:
    """Choose pieces of each sentence and replace most of them with the mask token.

    Args:
        sentences: The ids of each sentence.
        rates: The probability that each id is chosen.
        rng: The random number generator.
        mask_id: The id of the mask token.
        pad_id: The id of the padding token.
        regular: The ids that random replacements are drawn from.

    Returns:
        Input ids, attention mask and target ids (`IGNORED` where nothing is predicted), each of shape (sentences,
        length of the longest sentence).
    """
    shape = (len(sentences), max(map(len, sentences)))
    ids = np.full(shape, pad_id, dtype=np.int64)
    attention = np.zeros(shape, dtype=np.int64)
    probability = np.zeros(shape)
    for row, sentence in enumerate(sentences):
        length = len(sentence)
        ids[row, :length] = sentence
        attention[row, :length] = 1
        probability[row, :length] = rates[row]
    draw = rng.random(shape)
    chosen = draw < probability
    # If no piece of a sentence was chosen, choose the piece that came closest.
    distance = np.where(probability > 0, draw / np.maximum(probability, 1e-9), np.inf)
    nearest = distance.argmin(axis=1)
    empty = ~chosen.any(axis=1) & (probability.max(axis=1) > 0)
    chosen[empty, nearest[empty]] = True
    action = rng.random(shape)
    targets = np.where(chosen, ids, IGNORED)
    noise = rng.choice(regular, size=shape)
    is_masked = action < MASK_SHARE
    is_random = ~is_masked & (action < MASK_SHARE + RANDOM_SHARE)
    ids = np.where(chosen & is_masked, mask_id, ids)
    ids = np.where(chosen & is_random, noise, ids)
    return ids, attention, targets


def masked_lm_sentences(data: Path) -> dict[str, float]:
    """Return the training sentences with their probabilities to be in an epoch (0.5 for MultiNLI).

    Sentences that also occur in held-out problems are excluded.
    """
    held_out: set[str] = set()
    sentences: dict[str, float] = {}
    for name, share in ((MNLI_DEV, MNLI_SHARE), (SNLI_DEV, 1.0)):
        held_out.update(unique_sentences(held_out_problems(data, name)))
        of_file = unique_sentences(training_problems(data, name))
        sentences |= dict.fromkeys(with_stops(of_file), share)
    return {sentence: share for sentence, share in sentences.items() if sentence not in held_out}


def train_masked_lm(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    sentences: dict[str, float],
    recipe: LoopRecipe,
    checkpoint: Path,
) -> None:
    """Train a masked LM in place on sentences with their probabilities to be in an epoch."""
    encodings = tokenizer.backend_tokenizer.encode_batch(list(sentences))
    ids_of: list[Ints] = []
    rates_of: list[Floats] = []
    shares: list[float] = []
    for (text, share), encoding in zip(sentences.items(), encodings, strict=True):
        if len(encoding.ids) <= MAX_PIECES:
            ids_of.append(np.asarray(encoding.ids))
            rates_of.append(choice_rates(text, encoding))
            shares.append(share)
    logger.info("%d sentences of at most %d pieces", len(shares), MAX_PIECES)
    batches = batches_of([len(ids) for ids in ids_of], shares, recipe)
    regular = np.setdiff1d(np.arange(len(tokenizer)), tokenizer.all_special_ids)
    head = model.get_submodule("cls" if hasattr(model, "cls") else "lm_head")
    special = {"mask_id": tokenizer.mask_token_id, "pad_id": tokenizer.pad_token_id}

    def loss_of(step: int, items: list[int]) -> torch.Tensor:
        rng = np.random.default_rng([recipe.seed, 1, step])
        chosen_ids, chosen_rates = [ids_of[item] for item in items], [rates_of[item] for item in items]
        batch = mask_batch(chosen_ids, chosen_rates, rng, regular=regular, **special)
        ids, attention, targets = map(torch.from_numpy, batch)
        rows = targets != IGNORED
        hidden = model.base_model(input_ids=ids, attention_mask=attention).last_hidden_state
        return cross_entropy(head(hidden[rows]), targets[rows])

    train(model, loss_of, batches, recipe, checkpoint)
