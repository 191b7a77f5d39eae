"""Compare the throughput of `scoring` and of the transformers pipeline with a roberta-base classifier.

    python -m benchmarks.scoring --pairs snli/test.jsonl mnli/dev_matched.jsonl --long-premises

The classifier has the architecture of roberta-base and random weights, unless `--model` names another. The pairs are
JSON lines with `premise` and `hypothesis`, by default the bundled problems; each file is a table of its own. With
`--long-premises`, two more tables have premises of 250 to 600 characters, joined from those of the last file: pairs
that differ from each other, and 20 variants each of a twentieth of them. In each round all methods run on the same
pairs in turn; the tables show the median of the rounds.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.length_profiles import long_premises, read_pairs, variants_of
from benchmarks.shared import byte_bpe_tokenizer, processor
from merge_snli.embedded import embedded_path
from merge_snli.models.classifier import Classifier
from merge_snli.models.finding import ResolvedModel, find_model
from merge_snli.models.labels import Pair
from merge_snli.models.loading import load_classifier
from merge_snli.models.options import ModelOptions
from merge_snli.scoring.predict import predict_pairs

LABELS = ("entailment", "neutral", "contradiction")
DTYPES = ("float32", "bfloat16")
LOADED = "loaded pipeline"
"""Method that scores the pipeline itself, whose layers are not packed."""

Profiles = dict[str, list[Pair]]
ONE_BY_ONE, IN_BATCHES = "pipeline, one by one", "pipeline, batch_size=32"


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--pairs",
        type=Path,
        nargs="+",
        default=[embedded_path("demo:problems")],
        help="JSON lines files (default: the bundled problems)",
    )
    parser.add_argument("--long-premises", action="store_true", help="add two tables with long premises")
    parser.add_argument("--model", help="classifier to use instead of a random one")
    parser.add_argument("--limit", type=int, default=2000, help="pairs per table and round (default: 2000)")
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds (default: 3)")
    parser.add_argument("--hidden-size", type=int, default=768, help="hidden size (default: 768, as roberta-base)")
    parser.add_argument("--layers", type=int, default=12, help="number of layers (default: 12, as roberta-base)")
    parser.add_argument(
        "--methods",
        nargs="+",
        default=list(DTYPES),
        choices=(*DTYPES, LOADED),
        help="dtypes of `scoring`, or the loaded pipeline passed to it (default: all dtypes)",
    )
    parser.add_argument("--device", default="cpu", help="torch device (default: cpu)")
    arguments = parser.parse_args()
    profiles = length_profiles(arguments.pairs, arguments.limit, long=arguments.long_premises)
    sys.stdout.write(f"{processor(arguments.device)}\n")
    with tempfile.TemporaryDirectory() as folder:
        if arguments.model is None:
            texts = [pair for pairs in profiles.values() for pair in pairs]
            save_model(Path(folder), texts, hidden_size=arguments.hidden_size, layers=arguments.layers)
        model = find_model(arguments.model or folder)
        for name, pairs in profiles.items():
            sys.stdout.write(f"\n{name}\n\n")
            sys.stdout.write(compare(model, pairs, arguments.rounds, arguments.methods, arguments.device) + "\n")
            sys.stdout.flush()


def length_profiles(files: Sequence[Path], limit: int, *, long: bool) -> Profiles:
    """Return the pairs of each file by its name and, if `long`, pairs with long premises made from the last file."""
    profiles = {str(path): read_pairs(path, limit) for path in files}
    if long:
        pairs = long_premises(profiles[str(files[-1])])
        profiles |= {"long premises": pairs, "variants of long premises": variants_of(pairs)}
    return profiles


def save_model(folder: Path, pairs: list[Pair], *, hidden_size: int, layers: int) -> None:
    """Save a RoBERTa classifier with random weights and a byte-level BPE tokenizer trained on the pairs."""
    import torch
    import transformers

    hf: Any = transformers
    torch.manual_seed(0)
    byte_bpe_tokenizer(pairs).save_pretrained(folder)
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


def compare(model: ResolvedModel, pairs: list[Pair], rounds: int, names: Sequence[str], device: str) -> str:
    """Run all methods in turn and return the number of pairs and a table of pairs per second."""
    import torch
    from transformers import pipeline
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    plain: Any = pipeline("text-classification", model=str(model.path), dtype=torch.float32, device=device)
    pairs, lengths = accepted(Classifier(plain), pairs)
    texts = [{"text": premise, "text_pair": hypothesis} for premise, hypothesis in pairs]
    sample = texts[:: max(1, len(texts) // 100)]
    methods: dict[str, tuple[Callable[[], Any], int]] = {
        ONE_BY_ONE: (lambda: [plain(text, top_k=None) for text in sample], len(sample)),
        IN_BATCHES: (lambda: plain(texts, batch_size=32, top_k=None), len(texts)),
    }
    for name in names:
        classifier = Classifier(plain) if name == LOADED else load_classifier(model, device, ModelOptions(dtype=name))
        methods[f"scoring, {name}"] = scoring_method(classifier, pairs), len(pairs)
    plain(sample, batch_size=32)
    seconds: dict[str, list[float]] = {name: [] for name in methods}
    answers: dict[str, Any] = {}
    for _ in range(rounds):
        for name, (method, count) in methods.items():
            start = time.perf_counter()
            answers[name] = method()
            seconds[name].append((time.perf_counter() - start) / count)
    rates = {name: 1 / statistics.median(each) for name, each in seconds.items()}
    outputs = [plain.model.config.id2label[index] for index in range(plain.model.config.num_labels)]
    return f"{lengths}\n\n{table(rates, answers, outputs)}"


def accepted(classifier: Classifier, pairs: list[Pair]) -> tuple[list[Pair], str]:
    """Return the pairs that are not too long for the model, and a line on their numbers of tokens."""
    limit = classifier.facts.max_length
    counted = zip(pairs, classifier.count_tokens(pairs), strict=True)
    tokens = {pair: count for pair, count in counted if limit is None or count <= limit}
    lengths = np.array(list(tokens.values()))
    line = f"{len(tokens)} pairs of {len(set(lengths))} lengths, {lengths.mean():.0f} tokens on average"
    return list(tokens), line


def scoring_method(classifier: Classifier, pairs: list[Pair]) -> Callable[[], Any]:
    """Warm up a model, and return a function that predicts all pairs with it."""
    predict_pairs(lambda: classifier, pairs[:64], None)
    return lambda: predict_pairs(lambda: classifier, pairs, None)[0].logits


def agreement(plain: list[list[dict[str, Any]]], logits: Any, outputs: Sequence[str]) -> str:  # noqa: ANN401 - an array
    """Format the number of labels equal to the pipeline's and the largest difference of scores."""
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    named = [{entry["label"]: entry["score"] for entry in entries} for entries in plain]
    scores = np.array([[entry[name] for name in outputs] for entry in named])
    same = int((scores.argmax(axis=1) == logits.argmax(axis=1)).sum())
    return f"{same} of {len(plain)} | {np.abs(scores - shares).max():.0e}"


def table(rates: dict[str, float], answers: dict[str, Any], outputs: Sequence[str]) -> str:
    """Format the rates with their ratios to the pipeline's, and the agreement with the pipeline's labels."""
    lines = [
        "| method | pairs per second | vs. one by one | vs. batch_size=32 | equal labels | largest difference |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, rate in rates.items():
        same = agreement(answers[IN_BATCHES], answers[name], outputs) if name.startswith("scoring") else "|"
        ratios = f"{rate / rates[ONE_BY_ONE]:.2f} x | {rate / rates[IN_BATCHES]:.2f} x"
        lines.append(f"| {name} | {rate:.1f} | {ratios} | {same} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
