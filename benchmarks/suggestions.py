"""Compare the throughput of `generation` and of the fill-mask pipeline with bert-base-cased.

    python -m benchmarks.suggestions --problems snli/test.jsonl

The model has the architecture of bert-base-cased and random weights. The forms are those of real problems. In each
round all methods run in turn; the table shows the median of the rounds. The row "matmul bound" is the rate at which the
machine does the same floating-point operations as plain matrix products. The last table shows how bfloat16 changes the
suggestions of the bundled masked LMs.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from itertools import compress
from pathlib import Path
from typing import Any

import torch

from benchmarks.forms import forms_of, suggestions_of
from benchmarks.matmul_bound import MatmulBound, flop_of_forms
from benchmarks.processor import processor
from benchmarks.random_masked_lms import SHAPES, save_masked_lm
from generation.masked_lms.encoded_forms import EncodedForm
from generation.masked_lms.loading import load_masked_lm
from generation.masked_lms.masked_lm import Fillers, MaskedLM
from generation.sentences.forms import Form
from merge_snli.models.finding import find_model

TOP_K = 200
MIN_SPEEDUPS = {"float32": (6.0, 3.5), "bfloat16": (13.0, 7.0)}
"""Target speedups per dtype over the pipeline, one by one and with batch size 32."""
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
    mlms = {
        dtype: load_masked_lm(find_model(folder), device=arguments.device, dtype=dtype) for dtype in arguments.dtypes
    }
    one = next(iter(mlms.values()))
    encodable_forms = every_nth(encodable(forms, one), arguments.forms)
    texts = [text_of(form) for form in every_nth(encodable_forms, arguments.pipeline_forms).values()]
    encoded = one.encode_all([*encodable_forms.values()], split_words=False)
    lengths = [len(form.ids) for form in encoded if isinstance(form, EncodedForm)]
    plain = fill_mask(folder, arguments.device)
    bounds = {dtype: MatmulBound(shape, getattr(torch, dtype), arguments.device) for dtype in mlms}
    flop_per_form = flop_of_forms(lengths, shape) / len(lengths)

    def seconds_of(method: Callable[[], object]) -> float:
        start = time.perf_counter()
        method()
        return time.perf_counter() - start

    methods: dict[str, Callable[[], float]] = {
        "pipeline, one by one": lambda: len(texts) / seconds_of(lambda: [plain(text) for text in texts]),
        "pipeline, batch_size=32": lambda: len(texts) / seconds_of(lambda: plain(texts, batch_size=32)),
    }
    for dtype, mlm in mlms.items():
        methods[f"generation, {dtype}"] = lambda mlm=mlm: (
            len(encodable_forms)
            / seconds_of(  # type: ignore[misc]
                lambda: list(mlm.answers(encodable_forms, TOP_K))
            )
        )
        methods[f"matmul bound, {dtype}"] = lambda dtype=dtype: (  # type: ignore[misc]
            bounds[dtype].flop_per_second(PRODUCTS_PER_ROUND) / flop_per_form
        )
    plain(texts[:8], batch_size=8)
    for mlm in mlms.values():
        list(mlm.answers(every_nth(encodable_forms, 32), TOP_K))
    rounds = [{name: method() for name, method in methods.items()} for _ in range(arguments.rounds)]
    return {name: statistics.median(times[name] for times in rounds) for name in methods}


def every_nth(forms: Mapping[str, Form], count: int) -> dict[str, Form]:
    """Return up to `count` forms at regular intervals."""
    keys = list(forms)[:: max(1, len(forms) // count)][:count]
    return {key: forms[key] for key in keys}


def encodable(forms: Mapping[str, Form], mlm: MaskedLM) -> dict[str, Form]:
    """Return the forms whose word is one token; the pipeline does not support others either."""
    encoded = mlm.encode_all([*forms.values()], split_words=False)
    answerable = (isinstance(of_form, EncodedForm) for of_form in encoded)
    return dict(compress(forms.items(), answerable))


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
    rows = [
        "| method | forms per second |",
        "| --- | --- |",
        *(f"| {name} | {rate:.1f} |" for name, rate in rates.items()),
    ]
    rows += ["", "| | compared with | ratio | target |", "| --- | --- | --- | --- |"]
    for dtype in (dtype for dtype in MIN_SPEEDUPS if f"generation, {dtype}" in rates):
        ours = rates[f"generation, {dtype}"]
        for method, minimum in zip(
            ("pipeline, one by one", "pipeline, batch_size=32"), MIN_SPEEDUPS[dtype], strict=True
        ):
            rows.append(f"| {dtype} | {method} | {ours / rates[method]:.2f} | {minimum} |")
        rows.append(f"| {dtype} | matmul bound | {ours / rates[f'matmul bound, {dtype}']:.2f} | {MIN_SHARE_OF_BOUND} |")
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
        exact, coarse = (suggested(name, dtype, forms, device) for dtype in MIN_SPEEDUPS)
        changed = sum(exact[key] != coarse[key] for key in exact)
        one_only = sum(len(exact[key] ^ coarse[key]) for key in exact)
        every = sum(len(exact[key] | coarse[key]) for key in exact)
        rows.append(
            f"| {name} | {len(exact)} | {changed} ({changed / len(exact):.1%}) | {every} | "
            f"{one_only} ({one_only / every:.2%}) |"
        )
    return "\n".join(rows)


def suggested(name: str, dtype: str, forms: Mapping[str, Form], device: str) -> dict[str, frozenset[str]]:
    """Return the suggestions of a masked LM per form: whole words that are more probable than the original."""
    mlm = load_masked_lm(find_model(name), device=device, dtype=dtype)
    answers = {key: answer for some in mlm.answers(forms, TOP_K) for key, answer in some.items()}
    return {
        key: frozenset(suggestions_of(forms[key], answer, mlm.vocabulary))
        for key, answer in answers.items()
        if isinstance(answer, Fillers)
    }


if __name__ == "__main__":
    main()
