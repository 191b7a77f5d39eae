"""What several benchmarks share: the forms of problems, models with random weights, and methods that run in turn."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from generation.sentences.forms import Form
from generation.sentences.tagged_shards import replaced_words
from generation.sentences.tagging import tag
from generation.sentences.words import forms_of_word, shared_words
from merge_snli.models.finding import processor_units
from merge_snli.models.labels import Pair
from merge_snli.models.tagger import find_tagger
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems
from merge_snli.schema import DEFAULT_CLASSES

# Names of the units that matter for matrix products.
UNITS = {
    "avx2": "AVX2",
    "avx512_f": "AVX-512",
    "avx512_vnni": "AVX512-VNNI",
    "avx512_bf16": "AVX512-BF16",
    "amx_bf16": "AMX-BF16",
    "neon": "NEON",
    "bf16": "BF16 (Arm)",
}


# What Linux says of the memory of this process.
STATUS, RESET_PEAK = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def reset_peak() -> None:
    """Start to measure the peak resident memory of this process, on Linux."""
    RESET_PEAK.write_text("5", encoding="utf-8")


def peak_mebibytes() -> float:
    """Return the peak resident memory of this process since `reset_peak`."""
    _, _, after = STATUS.read_text(encoding="utf-8").partition("VmHWM:")
    return int(after.split()[0]) / 1024


def _shape(
    model_type: str, vocabulary: int, hidden: int, layers: int, intermediate: int, **more: int
) -> dict[str, Any]:
    """Return a config with attention heads of size 64, as in all masked LMs of the paper."""
    return {
        "model_type": model_type,
        "vocab_size": vocabulary,
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": hidden // 64,
        "intermediate_size": intermediate,
        **more,
    }


# The configs of the masked LMs of the preset `paper`, from the Hub.
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

WORD_PIECE = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}
BYTE_BPE = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>", "mask_token": "<mask>"}


def processor(device: str = "cpu") -> str:
    """Return one line: the name of a GPU, or the processor's name, the threads of torch, and which units it has."""
    if device != "cpu":
        return f"device: {torch.cuda.get_device_name(device)}, torch {torch.__version__}"
    units = processor_units()
    name = torch.cpu.get_capabilities().get("cpu_name", "unknown") if units else "unknown"
    known = ", ".join(text for unit, text in UNITS.items() if unit in units) or "none known"
    return f"processor: {name}, {torch.get_num_threads()} threads of torch {torch.__version__}; units: {known}"


def medians(methods: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """Run all methods in turn, several times, and return the median of what each returns."""
    found: dict[str, list[float]] = {name: [] for name in methods}
    for _ in range(rounds):
        for name, method in methods.items():
            found[name].append(method())
    return {name: statistics.median(values) for name, values in found.items()}


def seconds_of(method: Callable[[], object]) -> float:
    """Run a method and return the seconds that it took."""
    start = time.perf_counter()
    method()
    return time.perf_counter() - start


def forms_of(problems: str, limit: int | None) -> dict[str, Form]:
    """Return the distinct forms of the first `limit` problems by key, in the order of the problems."""
    read = read_problems(ProblemOptions(problems=problems, limit=limit))
    forms: dict[str, Form] = {}
    for tagged in tag(read.problems, find_tagger()):
        for word in replaced_words(shared_words(tagged), DEFAULT_CLASSES):
            for _, form in forms_of_word(tagged, word):
                forms[form.key] = form
    return forms


def save_masked_lm(folder: Path, texts: Iterable[str], shape: dict[str, Any]) -> None:
    """Save a masked LM with random weights, and a cased WordPiece tokenizer trained on the texts.

    The bias of the logits is the log frequency of each piece in the texts, so that frequent words are more probable
    than rare ones and originals occur among the fillers, though at lower ranks than with trained weights.

    Args:
        folder: The folder to create.
        texts: The training texts of the tokenizer. If it learns fewer pieces, the rest of the vocabulary is unused.
        shape: One of `SHAPES`, or another config with a `model_type`.
    """
    import transformers

    hf: Any = transformers
    texts = list(texts)
    tokenizer = _word_piece_tokenizer(texts, shape["vocab_size"])
    pieces = tokenizer.backend_tokenizer.encode_batch(texts, add_special_tokens=False)
    counts = Counter(piece for encoding in pieces for piece in encoding.ids)
    frequencies = torch.tensor([counts[piece] + 1.0 for piece in range(shape["vocab_size"])])
    torch.manual_seed(0)
    config = hf.AutoConfig.for_model(**shape, pad_token_id=tokenizer.pad_token_id)
    model = hf.AutoModelForMaskedLM.from_config(config)
    with torch.no_grad():
        model.get_output_embeddings().bias.copy_(frequencies.log())
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)


def _word_piece_tokenizer(texts: Iterable[str], pieces: int) -> Any:  # noqa: ANN401 - untyped
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = list(WORD_PIECE.values())
    trainer = trainers.WordPieceTrainer(vocab_size=pieces, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.add_tokens([f"[unused{index}]" for index in range(pieces - tokenizer.get_vocab_size())])
    ends = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    return _fast_tokenizer(tokenizer, WORD_PIECE)


def byte_bpe_tokenizer(pairs: Sequence[Pair]) -> Any:  # noqa: ANN401 - untyped
    """Train a byte-level BPE tokenizer, as in RoBERTa, on the pairs."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    special = list(BYTE_BPE.values())
    trainer = trainers.BpeTrainer(vocab_size=8000, special_tokens=special, initial_alphabet=alphabet)
    tokenizer.train_from_iterator((text for pair in pairs for text in pair), trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return _fast_tokenizer(tokenizer, BYTE_BPE)


def _fast_tokenizer(tokenizer: Any, special: Mapping[str, str]) -> Any:  # noqa: ANN401 - untyped
    from transformers import PreTrainedTokenizerFast

    fast: Any = PreTrainedTokenizerFast
    return fast(tokenizer_object=tokenizer, model_max_length=512, **special)
