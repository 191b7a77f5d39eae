"""Compare the throughput of `scoring` with that of CrossEncoder and of the transformers pipeline.

    python -m benchmarks.scoring --pairs snli/test.jsonl mnli/dev_matched.jsonl --long-premises

The classifier has the architecture of roberta-base and random weights, unless `--model` names another. The pairs are
JSON lines with `premise` and `hypothesis`, by default the bundled problems; each file is a table of its own. With
`--long-premises`, two more tables have premises of 250 to 600 characters, joined from those of the last file: pairs
that differ from each other, and 20 variants each of a twentieth of them. CrossEncoder (sentence-transformers) runs with
each of its batch sizes. In each round all methods run on the same pairs in turn; the tables show the median of the
rounds. On a machine with other work, `taskset` keeps all methods on one core.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.length_profiles import long_premises, read_pairs, variants_of
from benchmarks.shared import byte_bpe_tokenizer, medians, processor, seconds_of
from merge_snli.base.arrays import Floats32
from merge_snli.embedded import embedded_path
from merge_snli.models.finding import ResolvedModel, find_model
from merge_snli.models.labels import Pair
from merge_snli.models.options import ModelOptions
from merge_snli.models.runner.encoded import Predictor
from merge_snli.models.runner.predictors import load_predictor, predictor_of
from merge_snli.scoring.predict import predict_pairs

LABELS = ("entailment", "neutral", "contradiction")
DTYPES = ("float32", "bfloat16")
LOADED = "loaded pipeline"
"""Method that scores the pipeline itself, whose layers are not packed."""

CROSS_ENCODER, PIPELINE = "CrossEncoder", "pipeline, batch_size=32"
BATCH_SIZES = (32, 128, 512)
"""Of CrossEncoder."""

Profiles = dict[str, list[Pair]]
Logits = Callable[[], Floats32]


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
    methods: dict[str, Logits] = {}
    lengths = ""
    for name in names:
        if name == LOADED:
            dtype, predictor = "float32", predictor_of(plain)
        else:
            dtype, predictor = name, load_predictor(model, device, ModelOptions(dtype=name))
        pairs, lengths = accepted(predictor, pairs)
        methods[f"scoring, {name}"] = partial(logits_of, predictor, pairs)
        for size in BATCH_SIZES:
            methods[cross_encoder_name(dtype, size)] = cross_encoder(model, pairs, dtype, size, device)
        logits_of(predictor, pairs[:64])
    methods[PIPELINE] = partial(pipeline_logits, plain, pairs)
    answers: dict[str, Floats32] = {}

    def timed(name: str) -> float:
        return len(pairs) / seconds_of(lambda: answers.update({name: methods[name]()}))

    rates = medians({name: partial(timed, name) for name in methods}, rounds)
    return f"{lengths}\n\n{table(rates, answers, names)}"


def accepted(predictor: Predictor, pairs: list[Pair]) -> tuple[list[Pair], str]:
    """Return the pairs that are not too long for the model, and a line on their numbers of tokens."""
    limit, tokens = predictor.facts.max_length, predictor.encode(pairs).lengths
    fits = tokens <= (limit or tokens.max())
    lengths = tokens[fits]
    line = f"{len(lengths)} pairs of {len(set(lengths.tolist()))} lengths, {lengths.mean():.0f} tokens on average"
    return [pairs[row] for row in np.flatnonzero(fits)], line


def logits_of(predictor: Predictor, pairs: list[Pair]) -> Floats32:
    """Return the logits of all pairs by `scoring`."""
    logits = predict_pairs(lambda: predictor, pairs, None)[0].logits
    assert logits is not None
    return logits


def pipeline_logits(plain: Any, pairs: list[Pair]) -> Floats32:  # noqa: ANN401 - a pipeline
    """Return the logits of all pairs by the transformers pipeline."""
    texts = [{"text": premise, "text_pair": hypothesis} for premise, hypothesis in pairs]
    rows = []
    for entries in plain(texts, batch_size=32, top_k=None, function_to_apply="none"):
        by_name = {entry["label"]: entry["score"] for entry in entries}
        rows.append([by_name[plain.model.config.id2label[number]] for number in range(len(by_name))])
    return np.array(rows, np.float32)


def cross_encoder_name(dtype: str, batch_size: int) -> str:
    """Return the name of CrossEncoder with a batch size."""
    return f"{CROSS_ENCODER}, {dtype}, batch_size={batch_size}"


def cross_encoder(model: ResolvedModel, pairs: list[Pair], dtype: str, batch_size: int, device: str) -> Logits:
    """Load CrossEncoder and return a function that predicts all pairs with it."""
    import torch
    from sentence_transformers import CrossEncoder

    encoder: Any = CrossEncoder(str(model.path), device=device, model_kwargs={"dtype": getattr(torch, dtype)})
    options = {"batch_size": batch_size, "show_progress_bar": False}
    encoder.predict(pairs[:64], **options)
    return lambda: np.asarray(encoder.predict(pairs, **options), np.float32)


def table(rates: dict[str, float], answers: dict[str, Floats32], names: Sequence[str]) -> str:
    """Format the rates, those of `scoring` relative to the others', and its agreement with the pipeline's labels."""
    best: dict[str, float] = {}
    for dtype in DTYPES:
        best[dtype] = max(rates.get(cross_encoder_name(dtype, size), 0.0) for size in BATCH_SIZES)
    best[LOADED] = best["float32"]
    lines = [
        "| method | pairs per second | vs. CrossEncoder's best | vs. pipeline | equal labels | largest difference |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    plain = answers[PIPELINE]
    for method, rate in rates.items():
        name = method.removeprefix("scoring, ")
        compared = "| | |"
        if name in names:
            same = int((plain.argmax(axis=1) == answers[method].argmax(axis=1)).sum())
            largest = np.abs(plain - answers[method]).max()
            compared = (
                f"{rate / best[name]:.2f} | {rate / rates[PIPELINE]:.2f} | {same} of {len(plain)} | {largest:.0e}"
            )
        lines.append(f"| {method} | {rate:.1f} | {compared} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
