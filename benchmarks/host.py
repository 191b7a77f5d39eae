"""Measure the work besides the network, of `score` and of the masked LMs of `generate`: the network answers at once.

    taskset -c 0 python -m benchmarks.host --problems snli/test.jsonl

Pairs are tokenized, put into batches and stored with logits of zero; `encode_batch_fast` alone is the bound. Forms are
tokenized, put into batches and stored with 200 fillers each. Both use bundled models. The table shows the median of the
rounds, in inputs per second of CPU time of all threads, which other work on the machine changes little. With
`--memory 1000000`, the memory that scoring so many made-up pairs takes is measured, too, on Linux.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from random import Random

import pyarrow as pa
import torch

from benchmarks.length_profiles import read_pairs
from benchmarks.shared import forms_of, medians, peak_mebibytes, processor, reset_peak
from generation.answers.store import Store, cache_key_of
from generation.masked_lms.loading import load_masked_lm
from generation.masked_lms.masked_lm import MaskedLM, Network
from generation.options import Options
from generation.sentences.forms import Form
from generation.tasks import suggest
from merge_snli.answers.sentences import PAIRS_PER_BATCH, SentencePairs
from merge_snli.base.progress import Progress
from merge_snli.embedded import embedded_path
from merge_snli.models.finding import find_model
from merge_snli.models.labels import Pair
from merge_snli.models.options import ModelOptions
from merge_snli.models.runner.classifier import Classifier
from merge_snli.models.runner.encoded import IDS
from merge_snli.models.runner.predictors import load_predictor
from merge_snli.models.runner.runner import Batch
from merge_snli.scoring.predict import predict_pairs

# More rows than a batch has.
ROWS = 4_096
CLASSIFIER, MASKED_LM, TOP_K = "demo:nli-a", "demo:mlm-bpe", 200
WORDS = ("man", "woman", "child", "dog", "sits", "stands", "near", "river")
PAIRS, TOKENIZER, FORMS = "pairs, whole host", "pairs, encode_batch_fast alone", "forms, whole host"


def main() -> None:
    """Run the benchmark and print its table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=Path, default=embedded_path("demo:problems"), help="JSON lines (bundled)")
    parser.add_argument("--limit", type=int, default=10_000, help="number of problems (default: %(default)s)")
    parser.add_argument("--form-problems", type=int, default=2_000, help="problems with forms (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds (default: %(default)s)")
    parser.add_argument("--memory", type=int, default=0, metavar="PAIRS", help="measure memory with so many pairs")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    pairs, forms = (
        read_pairs(arguments.problems, arguments.limit),
        forms_of(arguments.problems, arguments.form_problems),
    )
    classifier, mlm = answering_classifier(), answering_masked_lm()
    tokenizer = classifier._encoder._tokenizer.backend_tokenizer
    methods = {
        PAIRS: lambda: len(pairs) / cpu_seconds_of(partial(score, classifier, pairs)),
        TOKENIZER: lambda: len(pairs) / cpu_seconds_of(partial(tokenizer.encode_batch_fast, pairs)),
        FORMS: lambda: len(forms) / cpu_seconds_of(partial(answer, mlm, forms)),
    }
    rates = medians(methods, arguments.rounds)
    sys.stdout.write(f"{processor()}\n\n{len(pairs)} pairs, {len(forms)} forms\n\n{table(rates)}\n")
    if arguments.memory:
        sys.stdout.write(f"\n{arguments.memory} made-up pairs: {memory(classifier, arguments.memory)}\n")


def answering_classifier() -> Classifier:
    """Return a bundled classifier whose network answers at once."""
    classifier = load_predictor(find_model(CLASSIFIER), "cpu", ModelOptions())
    assert isinstance(classifier, Classifier)
    classifier._logits = lambda batch: [torch.zeros(len(batch[IDS]), classifier.n_outputs)]  # type: ignore[method-assign]
    return classifier


@dataclass(frozen=True)
class AtOnce(Network):
    """A network that has the fillers already: random pieces, and falling log-probabilities, of `ROWS` forms."""

    pieces: torch.Tensor
    values: torch.Tensor

    def fillers(self, top_k: int, batch: Batch) -> tuple[torch.Tensor, ...]:
        """Return the fillers of as many forms as the batch has."""
        rows = len(batch[IDS])
        return self.pieces[:rows, :top_k], self.values[:rows, :top_k], self.values[:rows, 50:51]


def answering_masked_lm() -> MaskedLM:
    """Return a bundled masked LM whose network answers at once."""
    mlm = load_masked_lm(find_model(MASKED_LM), device="cpu")
    random = torch.Generator().manual_seed(0)
    pieces = torch.rand(ROWS, len(mlm.vocabulary.pieces), generator=random).topk(TOP_K).indices.int()
    values = -9 * torch.rand(ROWS, TOP_K, generator=random).sort().values
    return replace(mlm, network=AtOnce(mlm.network.encoder, mlm.network.heads, None, None, pieces, values))


def memory(classifier: Classifier, number: int) -> str:
    """Return the memory that made-up pairs take in Arrow, and the most that scoring them takes beside it."""
    reset_peak()
    empty = peak_mebibytes()
    pairs = made_up_pairs(number)
    reset_peak()
    held = peak_mebibytes()
    score(classifier, pairs)
    beside = max(0.0, peak_mebibytes() - held)
    return f"{held - empty:,.0f} MiB of texts, and at most {beside:,.0f} MiB beside them"


def made_up_pairs(number: int) -> SentencePairs:
    """Return distinct pairs of 15 and 8 words, without holding more than a few of them as Python strings."""
    random = Random(0)
    columns: list[list[pa.Array]] = [[], []]
    for start in range(0, number, PAIRS_PER_BATCH):
        numbers = range(start, min(number, start + PAIRS_PER_BATCH))
        for words, column in zip((14, 7), columns, strict=True):
            column.append(pa.array([f"{' '.join(random.choices(WORDS, k=words))} {each}." for each in numbers]))
    premises, hypotheses = map(pa.chunked_array, columns)
    return SentencePairs(premises, hypotheses)


def score(classifier: Classifier, pairs: Sequence[Pair]) -> None:
    """Predict pairs and store the predictions."""
    with tempfile.TemporaryDirectory() as folder:
        predict_pairs(lambda: classifier, pairs, Path(folder))


def answer(mlm: MaskedLM, forms: Mapping[str, Form]) -> None:
    """Answer forms and store the answers."""
    options = Options(problems="demo:problems", mlm=(MASKED_LM,), top_k=TOP_K)
    key = cache_key_of(find_model(MASKED_LM), options, "cpu")
    progress = Progress(quiet=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        Store(Path(folder), key) as store,
        progress.stage("forms", unit="forms") as stage,
    ):
        suggest([forms], 1, lambda: mlm, store, options, stage)


def cpu_seconds_of(method: Callable[[], object]) -> float:
    """Run a method and return the CPU seconds that all its threads took."""
    start = time.process_time()
    method()
    return time.process_time() - start


def table(rates: Mapping[str, float]) -> str:
    """Format the rates and the share of the tokenizer's rate."""
    lines = ["| work | per CPU second | vs. the tokenizer alone |", "| --- | ---: | ---: |"]
    for name, rate in rates.items():
        ratio = f"{rate / rates[TOKENIZER]:.2f}" if name == PAIRS else ""
        lines.append(f"| {name} | {rate:,.0f} | {ratio} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
