"""Create masked LMs with the paper's architectures and random weights, for machines without access to the Hub."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def _shape(
    model_type: str, vocab_size: int, hidden: int, layers: int, intermediate: int, **more: int
) -> dict[str, Any]:
    """Return a config with attention heads of size 64, as in all masked LMs of the paper."""
    return {
        "model_type": model_type,
        "vocab_size": vocab_size,
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": hidden // 64,
        "intermediate_size": intermediate,
        **more,
    }


SHAPES = {
    "bert-base-cased": _shape("bert", 28_996, 768, 12, 3_072),
    "bert-large-cased": _shape("bert", 28_996, 1_024, 24, 4_096),
    "roberta-base": _shape("roberta", 50_265, 768, 12, 3_072, max_position_embeddings=514),
    "roberta-large": _shape("roberta", 50_265, 1_024, 24, 4_096, max_position_embeddings=514),
    "albert-base-v2": _shape("albert", 30_000, 768, 12, 3_072, embedding_size=128),
    "albert-xxlarge-v2": _shape("albert", 30_000, 4_096, 12, 16_384, embedding_size=128),
    "electra-base-generator": _shape("electra", 30_522, 256, 12, 1_024, embedding_size=768),
    "electra-large-generator": _shape("electra", 30_522, 256, 24, 1_024, embedding_size=1_024),
}
"""The configs of the masked LMs of the preset `paper`, from the Hub."""

SPECIAL = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}


def save_masked_lm(folder: Path, texts: Iterable[str], shape: dict[str, Any]) -> None:
    """Save a masked LM with random weights, and a cased WordPiece tokenizer trained on the texts.

    The bias of the logits is the log frequency of each piece in the texts, so that frequent words are more probable
    than rare ones and originals occur among the fillers, though at lower ranks than with trained weights.

    Args:
        folder: The folder to create.
        texts: The training texts of the tokenizer. If it learns fewer pieces, the rest of the vocabulary is unused.
        shape: One of `SHAPES`, or another config with a `model_type`.
    """
    import torch
    import transformers

    hf: Any = transformers
    texts = list(texts)
    tokenizer = _tokenizer(texts, shape["vocab_size"])
    hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=512, **SPECIAL).save_pretrained(folder)
    counts = Counter(
        piece for encoding in tokenizer.encode_batch(texts, add_special_tokens=False) for piece in encoding.ids
    )
    torch.manual_seed(0)
    config = hf.AutoConfig.for_model(**shape, pad_token_id=tokenizer.token_to_id("[PAD]"))
    model = hf.AutoModelForMaskedLM.from_config(config)
    with torch.no_grad():
        frequencies = torch.tensor([counts[piece] + 1.0 for piece in range(shape["vocab_size"])])
        model.get_output_embeddings().bias.copy_(frequencies.log())
    model.save_pretrained(folder)


def _tokenizer(texts: Iterable[str], pieces: int) -> Any:  # noqa: ANN401 - tokenizers has few types
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=pieces, special_tokens=list(SPECIAL.values()), show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_tokens([f"[unused{index}]" for index in range(pieces - tokenizer.get_vocab_size())])
    cls, sep = (tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", cls), ("[SEP]", sep)]
    )
    return tokenizer
