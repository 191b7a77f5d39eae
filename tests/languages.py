"""Masked LMs with the words of a language as their vocabulary, and pipelines of rules and a lexicon."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

from tests.tiny_models import BERT_SPECIAL, SIZES

NOUN = "Case=Nom|Gender={}|Number=Sing"
VERB = "Mood=Ind|Number={}|Person=3|Tense=Pres|VerbForm=Fin"
GERMAN = {
    "ein": ("DET", "Case=Nom|Definite=Ind|Number=Sing|PronType=Art"),
    "der": ("DET", "Case=Nom|Definite=Def|Gender=Masc|Number=Sing|PronType=Art"),
    "die": ("DET", "Case=Nom|Definite=Def|Gender=Fem|Number=Sing|PronType=Art"),
    **dict.fromkeys(("hund", "mann", "lehrer", "junge", "laut"), ("NOUN", NOUN.format("Masc"))),
    **dict.fromkeys(("katze", "frau", "lehrerin"), ("NOUN", NOUN.format("Fem"))),
    **dict.fromkeys(("hunde", "katzen"), ("NOUN", "Case=Nom|Gender=Masc|Number=Plur")),
    **dict.fromkeys(("schläft", "rennt", "singt", "wartet"), ("VERB", VERB.format("Sing"))),
    **dict.fromkeys(("schlafen", "rennen"), ("VERB", VERB.format("Plur"))),
    **dict.fromkeys(("nicht", "nie", "dort", "heute"), ("ADV", "")),
    ".": ("PUNCT", ""),
}
"""By word in lower case: its universal part-of-speech tag and its features."""


def save_pipeline(
    folder: Path, code: str, lexicon: Mapping[str, tuple[str, str]], own_tags: Mapping[str, str] | None = None
) -> Path:
    """Save a pipeline of a language that tags the words of a lexicon such as `GERMAN`, and return its folder.

    Args:
        folder: Where to save it.
        code: The code of the language.
        lexicon: By word, its universal tag and features.
        own_tags: By word, the tagger's own tag.
    """
    import spacy

    nlp = spacy.blank(code)
    ruler = nlp.add_pipe("attribute_ruler")
    for word, (pos, morph) in lexicon.items():
        attributes = {"POS": pos, **({"MORPH": morph} if morph else {})}
        if own_tags and word in own_tags:
            attributes["TAG"] = own_tags[word]
        ruler.add(patterns=[[{"LOWER": word}]], attrs=attributes)  # type: ignore[attr-defined]
    nlp.to_disk(folder)
    return folder


def words_of(texts: Iterable[str]) -> list[str]:
    """Return the distinct words and punctuation marks of texts, and the words in lower case."""
    found = [word for text in texts for word in re.findall(r"\w+|[^\w\s]", text)]
    return list(dict.fromkeys([*found, *map(str.lower, found)]))


def sentencepiece_of(words: Iterable[str]) -> PreTrainedTokenizerFast:
    """Return a cased SentencePiece tokenizer as that of XLM-R, whose pieces are words with and without a space."""
    special = ["<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"]
    pieces = [each for word in words for each in (f"▁{word}", word)]
    scores = [(piece, -1.0) for piece in dict.fromkeys([*special, *pieces, "▁"])]
    tokenizer = Tokenizer(models.Unigram(scores, unk_id=1))
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    names = {"pad_token": "<pad>", "unk_token": "<unk>"}
    names |= {name: BERT_SPECIAL[name] for name in ("cls_token", "sep_token", "mask_token")}
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=64, **names)  # type: ignore[no-untyped-call]


def wordpiece_of(words: Iterable[str]) -> PreTrainedTokenizerFast:
    """Return a cased WordPiece tokenizer as that of multilingual BERT, whose pieces are words."""
    tokens = dict.fromkeys([*BERT_SPECIAL.values(), *words])
    tokenizer = Tokenizer(models.WordPiece({token: index for index, token in enumerate(tokens)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=64, **BERT_SPECIAL)  # type: ignore[no-untyped-call]


def save_word_mlm(tokenizer: PreTrainedTokenizerFast, folder: Path, *, seed: int = 0) -> Path:
    """Save a tiny random masked LM with a tokenizer, and return its folder."""
    torch.manual_seed(seed)
    config = BertConfig(vocab_size=len(tokenizer), pad_token_id=0, initializer_range=0.6, **SIZES)
    BertForMaskedLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
