"""Compare the throughput of `scoring` and of the transformers pipeline with a roberta-base classifier.

    python -m benchmarks.scoring --pairs problems.jsonl

The classifier has the architecture of roberta-base and random weights. The pairs are JSON lines with `premise` and
`hypothesis`, by default the embedded problems. In each round all methods run on the same pairs in turn; the table shows
the median of the rounds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from merge_snli.embedded import embedded_path
from merge_snli.inference.models import find_model
from scoring.models.loading import load_classifier
from scoring.models.options import ModelOptions
from scoring.models.predictor import Pair
from scoring.predictions.predict import predict_pairs

LABELS = ("entailment", "neutral", "contradiction")
DTYPES = ("float32", "bfloat16", "int8")
ONE_BY_ONE, IN_BATCHES = "pipeline, one by one", "pipeline, batch_size=32"


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--pairs",
        type=Path,
        default=embedded_path("demo:problems"),
        help="JSON lines file (default: the embedded problems)",
    )
    parser.add_argument("--limit", type=int, default=2000, help="pairs per round (default: 2000)")
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds (default: 3)")
    parser.add_argument("--hidden-size", type=int, default=768, help="hidden size (default: 768, as roberta-base)")
    parser.add_argument("--layers", type=int, default=12, help="number of layers (default: 12, as roberta-base)")
    parser.add_argument(
        "--dtypes", nargs="+", default=list(DTYPES), choices=DTYPES, help="dtypes of `scoring` (default: all)"
    )
    arguments = parser.parse_args()
    lines = arguments.pairs.read_text(encoding="utf-8").splitlines()
    problems = [json.loads(line) for line in lines[: arguments.limit]]
    pairs = list(dict.fromkeys((problem["premise"], problem["hypothesis"]) for problem in problems))
    with tempfile.TemporaryDirectory() as folder:
        save_model(Path(folder), pairs, hidden_size=arguments.hidden_size, layers=arguments.layers)
        sys.stdout.write(compare(Path(folder), pairs, arguments.rounds, arguments.dtypes) + "\n")


def save_model(folder: Path, pairs: list[Pair], *, hidden_size: int, layers: int) -> None:
    """Save a RoBERTa classifier with random weights and a byte-level BPE tokenizer trained on the pairs."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

    hf: Any = transformers
    torch.manual_seed(0)
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=8000, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train_from_iterator((text for pair in pairs for text in pair), trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    names = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    hf.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=512, **names).save_pretrained(folder)
    config = hf.RobertaConfig(
        vocab_size=50265,
        hidden_size=hidden_size,
        num_hidden_layers=layers,
        num_attention_heads=hidden_size // 64,
        intermediate_size=4 * hidden_size,
        max_position_embeddings=514,
        type_vocab_size=1,
        id2label=dict(enumerate(LABELS)),
        initializer_range=0.05,
    )
    hf.RobertaForSequenceClassification(config).save_pretrained(folder)


def compare(folder: Path, pairs: list[Pair], rounds: int, dtypes: Sequence[str]) -> str:
    """Run all methods in turn and return a table of pairs per second."""
    import torch
    from transformers import pipeline
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    plain: Any = pipeline("text-classification", model=str(folder), dtype=torch.float32, device="cpu")
    texts = [{"text": premise, "text_pair": hypothesis} for premise, hypothesis in pairs]
    sample = texts[:: max(1, len(texts) // 100)]
    methods: dict[str, tuple[Callable[[], Any], int]] = {
        ONE_BY_ONE: (lambda: [plain(text, top_k=None) for text in sample], len(sample)),
        IN_BATCHES: (lambda: plain(texts, batch_size=32, top_k=None), len(texts)),
    } | {f"scoring, {dtype}": (scoring_method(folder, dtype, pairs), len(pairs)) for dtype in dtypes}
    plain(sample, batch_size=32)
    seconds: dict[str, list[float]] = {name: [] for name in methods}
    answers: dict[str, Any] = {}
    for _ in range(rounds):
        for name, (method, count) in methods.items():
            start = time.perf_counter()
            answers[name] = method()
            seconds[name].append((time.perf_counter() - start) / count)
    rates = {name: 1 / statistics.median(each) for name, each in seconds.items()}
    return table(rates, answers)


def scoring_method(folder: Path, dtype: str, pairs: list[Pair]) -> Callable[[], Any]:
    """Load and warm up a model, and return a function that predicts all pairs with it."""
    classifier = load_classifier(find_model(str(folder)), "cpu", ModelOptions(dtype=dtype))
    predict_pairs(lambda: classifier, pairs[:64], None)
    return lambda: predict_pairs(lambda: classifier, pairs, None)[0].logits


def agreement(plain: list[list[dict[str, Any]]], logits: Any) -> str:  # noqa: ANN401 - an array
    """Format the number of labels equal to the pipeline's and the largest difference of scores."""
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    named = [{entry["label"]: entry["score"] for entry in entries} for entries in plain]
    scores = np.array([[entry[name] for name in LABELS] for entry in named])
    same = int((scores.argmax(axis=1) == logits.argmax(axis=1)).sum())
    return f"{same} of {len(plain)} | {np.abs(scores - shares).max():.0e}"


def table(rates: dict[str, float], answers: dict[str, Any]) -> str:
    """Format the rates with their ratios to the pipeline's, and the agreement with the pipeline's labels."""
    lines = [
        "| method | pairs per second | vs. one by one | vs. batch_size=32 | equal labels | largest difference |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, rate in rates.items():
        same = agreement(answers[IN_BATCHES], answers[name]) if name.startswith("scoring") else "|"
        ratios = f"{rate / rates[ONE_BY_ONE]:.2f} x | {rate / rates[IN_BATCHES]:.2f} x"
        lines.append(f"| {name} | {rate:.1f} | {ratios} | {same} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
