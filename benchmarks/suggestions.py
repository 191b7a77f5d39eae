"""Compare the throughput of `generation` and of the fill-mask pipeline with bert-base-cased.

    python -m benchmarks.suggestions --problems snli/test.jsonl

The model has the architecture of bert-base-cased and random weights. The forms are those of real problems. In each
round all methods run in turn; the table shows the median of the rounds. The row "matmul bound" is the rate at which the
machine does the same floating-point operations as plain matrix products. The last table shows how bfloat16 changes the
suggestions of the bundled masked LMs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import torch

from benchmarks.matmul_bound import MatmulBound, flop_of_forms
from benchmarks.shared import SHAPES, forms_of, medians, processor, save_masked_lm, seconds_of
from generation.answers.store import answers_of
from generation.filters.definitions import IN_PROBLEM, LESS_PROBABLE, NO_WORD, SAME_WORD
from generation.filters.fillers import filter_fillers
from generation.filters.filter import Applied, Occurrence
from generation.masked_lms.loading import load_masked_lm
from generation.masked_lms.masked_lm import Fillers, MaskedLM
from generation.masked_lms.vocabulary import Vocabulary
from generation.sentences.forms import PREMISE, Form
from generation.sentences.tagging import TaggedProblem, TaggedSentence
from generation.sentences.words import SharedWord
from merge_snli.models.finding import find_model
from merge_snli.problems.problem import Problem

TOP_K = 200
ONE_BY_ONE, IN_BATCHES = "pipeline, one by one", "pipeline, batch_size=32"

# Target speedups per dtype over the pipeline, one by one and with batch size 32.
MIN_SPEEDUPS = {"float32": (6.0, 3.5), "bfloat16": (13.0, 7.0)}
MIN_SHARE_OF_BOUND = 0.55
PRODUCTS_PER_ROUND = 4


def main() -> None:
    """Run the benchmark and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", default="demo:problems", help="problem file (default: the bundled problems)")
    parser.add_argument("--limit", type=int, default=2000, help="number of problems (default: 2000)")
    parser.add_argument("--forms", type=int, default=2000, help="forms per round for `generation` (default: 2000)")
    parser.add_argument(
        "--pipeline-forms", type=int, default=160, help="forms per round for the pipeline (default: 160)"
    )
    parser.add_argument("--rounds", type=int, default=3, help="number of rounds (default: 3)")
    parser.add_argument("--layers", type=int, default=12, help="number of layers (default: 12, as bert-base)")
    parser.add_argument(
        "--dtypes",
        nargs="+",
        default=list(MIN_SPEEDUPS),
        choices=MIN_SPEEDUPS,
        help="dtypes of `generation` (default: both)",
    )
    parser.add_argument(
        "--changes", type=int, default=1000, help="forms for the comparison of the two dtypes (default: 1000)"
    )
    parser.add_argument("--device", default="cpu", help="torch device (default: cpu)")
    arguments = parser.parse_args()
    shape = SHAPES["bert-base-cased"] | {"num_hidden_layers": arguments.layers}
    forms = forms_of(arguments.problems, arguments.limit)
    with tempfile.TemporaryDirectory() as folder:
        save_masked_lm(Path(folder), (form.text for form in forms.values()), shape)
        rates = compare(folder, forms, shape, arguments)
    sys.stdout.write(f"{processor(arguments.device)}\n\n{table(rates)}\n")
    if arguments.changes:
        sys.stdout.write(f"\n{changes(every_nth(forms, arguments.changes), arguments.device)}\n")


def compare(
    folder: str, forms: Mapping[str, Form], shape: dict[str, Any], arguments: argparse.Namespace
) -> dict[str, float]:
    """Run all methods in turn and return their forms per second."""
    model, device = find_model(folder), arguments.device
    mlms = {dtype: load_masked_lm(model, device=device, dtype=dtype) for dtype in arguments.dtypes}
    one = next(iter(mlms.values()))
    asked = every_nth(encodable(forms, one), arguments.forms)
    texts = [text_of(form) for form in every_nth(asked, arguments.pipeline_forms).values()]
    lengths = one.encode(asked).inputs.lengths.tolist()
    flop_per_form = flop_of_forms(lengths, shape) / len(lengths)
    plain = fill_mask(folder, device)
    plain(texts[:8], batch_size=8)
    methods: dict[str, Callable[[], float]] = {
        ONE_BY_ONE: lambda: len(texts) / seconds_of(lambda: [plain(text) for text in texts]),
        IN_BATCHES: lambda: len(texts) / seconds_of(lambda: plain(texts, batch_size=32)),
    }
    for dtype, mlm in mlms.items():
        answer_rate(mlm, every_nth(asked, 32))
        bound = MatmulBound(shape, getattr(torch, dtype), device)
        methods[f"generation, {dtype}"] = partial(answer_rate, mlm, asked)
        methods[f"matmul bound, {dtype}"] = partial(bound_rate, bound, flop_per_form)
    return medians(methods, arguments.rounds)


def answer_rate(mlm: MaskedLM, forms: Mapping[str, Form]) -> float:
    """Return how many forms a masked LM answers per second."""
    return len(forms) / seconds_of(lambda: list(mlm.answers(mlm.encode(forms), TOP_K)))


def bound_rate(bound: MatmulBound, flop_per_form: float) -> float:
    """Return how many forms the matrix products alone would allow per second."""
    return bound.flop_per_second(PRODUCTS_PER_ROUND) / flop_per_form


def every_nth(forms: Mapping[str, Form], count: int) -> dict[str, Form]:
    """Return up to `count` forms at regular intervals."""
    keys = list(forms)[:: max(1, len(forms) // count)][:count]
    return {key: forms[key] for key in keys}


def encodable(forms: Mapping[str, Form], mlm: MaskedLM) -> dict[str, Form]:
    """Return the forms whose word is one token; the pipeline does not support others either."""
    return {key: forms[key] for key in mlm.encode(forms).keys}


def text_of(form: Form) -> str:
    """Return a form as input of the pipeline."""
    return f"{form.text[: form.start]}[MASK]{form.text[form.end :]}"


def fill_mask(folder: str, device: str) -> Any:  # noqa: ANN401 - a pipeline
    """Load the fill-mask pipeline."""
    from transformers import pipeline
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    return pipeline("fill-mask", model=folder, top_k=TOP_K, dtype=torch.float32, device=device)


def table(rates: dict[str, float]) -> str:
    """Format the rates, the speedups over the pipeline, and the shares of the matmul bound."""
    rows = ["| method | forms per second |", "| --- | --- |"]
    for name, rate in rates.items():
        rows.append(f"| {name} | {rate:.1f} |")
    rows += ["", "| | compared with | ratio | target |", "| --- | --- | --- | --- |"]
    for dtype, (over_one, over_batches) in MIN_SPEEDUPS.items():
        ours = rates.get(f"generation, {dtype}")
        if ours is None:
            continue
        bound = rates[f"matmul bound, {dtype}"]
        rows.append(f"| {dtype} | {ONE_BY_ONE} | {ours / rates[ONE_BY_ONE]:.2f} | {over_one} |")
        rows.append(f"| {dtype} | {IN_BATCHES} | {ours / rates[IN_BATCHES]:.2f} | {over_batches} |")
        rows.append(f"| {dtype} | matmul bound | {ours / bound:.2f} | {MIN_SHARE_OF_BOUND} |")
    return "\n".join(rows)


def changes(forms: Mapping[str, Form], device: str) -> str:
    """Format how bfloat16 changes the suggestions of the bundled masked LMs."""
    rows = [
        f"Effect of bfloat16 ({len(forms)} forms, words more probable than the original):",
        "",
        "| masked LM | forms | changed forms | suggestions | in one dtype only |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name in ("demo:mlm-wordpiece", "demo:mlm-bpe"):
        exact, coarse = (suggested(name, dtype, forms, device) for dtype in ("float32", "bfloat16"))
        changed = sum(exact[key] != coarse[key] for key in exact)
        one_only = sum(len(exact[key] ^ coarse[key]) for key in exact)
        every = sum(len(exact[key] | coarse[key]) for key in exact)
        shares = f"{changed} ({changed / len(exact):.1%}) | {every} | {one_only} ({one_only / every:.2%})"
        rows.append(f"| {name} | {len(exact)} | {shares} |")
    return "\n".join(rows)


def suggested(name: str, dtype: str, forms: Mapping[str, Form], device: str) -> dict[str, frozenset[str]]:
    """Return the suggestions of a masked LM per form: whole words that are more probable than the original."""
    mlm = load_masked_lm(find_model(name), device=device, dtype=dtype)
    found: dict[str, frozenset[str]] = {}
    for table in mlm.answers(mlm.encode(forms), TOP_K):
        for key, answer in answers_of(table, forms):
            if isinstance(answer, Fillers):
                found[key] = suggestions_of(forms[key], answer, mlm.vocabulary)
    return found


def suggestions_of(form: Form, answer: Fillers, vocabulary: Vocabulary) -> frozenset[str]:
    """Return the fillers of a form that the filters without tagger keep, as if its problem had no other words."""
    sentence = TaggedSentence(form.text, ())
    tagged = TaggedProblem(Problem("", form.text, form.text, 0), sentence, sentence)
    word = SharedWord(form.original, "noun", (form.start,), (form.start,))
    occurrence = Occurrence(tagged, word, frozenset(), PREMISE, form.start, form.end)
    filters = [Applied(filter_, True) for filter_ in (NO_WORD, LESS_PROBABLE, IN_PROBLEM, SAME_WORD)]
    return frozenset(filter_fillers(answer, vocabulary, occurrence, filters).suggestions)


if __name__ == "__main__":
    main()
