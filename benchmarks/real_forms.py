"""The forms of real problems, and a masked LM of a true shape with random weights to ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from generation.problems.options import ProblemOptions
from generation.problems.reading import read_problems
from generation.sentences.forms import Form, forms
from generation.sentences.tagged_shards import replaced_words
from generation.sentences.tagging import load_tagger, tag
from generation.sentences.words import shared_words
from merge_snli.schema import DEFAULT_CLASSES

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SPECIAL = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}


def forms_of(problems: str, limit: int | None) -> dict[str, Form]:
    """Return the forms of the first problems of a source by their keys, each once, in the order of the problems."""
    return {
        form.key: form
        for tagged in tag(read_problems(ProblemOptions(problems=problems, limit=limit)).problems, load_tagger())
        for word in replaced_words(shared_words(tagged), DEFAULT_CLASSES)
        for sentence, starts in ((tagged.premise, word.premise), (tagged.hypothesis, word.hypothesis))
        for form in forms(sentence.text, word.text, starts)
    }


def save_bert(folder: Path, texts: Iterable[str], shape: dict[str, int]) -> None:
    """Save a masked LM of BERT's make with random weights, and a cased WordPiece tokenizer trained on the texts.

    Args:
        folder: Where.
        texts: What the tokenizer is trained on; rows of the vocabulary that it does not fill stay unused.
        shape: `vocab_size`, `hidden_size`, `num_hidden_layers`, `num_attention_heads`, `intermediate_size`.
    """
    import torch
    import transformers
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    hf: Any = transformers
    torch.manual_seed(0)
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=shape["vocab_size"], special_tokens=list(SPECIAL.values()), show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_tokens([f"[unused{index}]" for index in range(shape["vocab_size"] - tokenizer.get_vocab_size())])
    cls, sep = (tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", cls), ("[SEP]", sep)]
    )
    hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=512, **SPECIAL).save_pretrained(folder)
    # Weights larger than usual make answers that differ as those of trained masked LMs do.
    hf.BertForMaskedLM(hf.BertConfig(**shape, initializer_range=0.05)).save_pretrained(folder)
