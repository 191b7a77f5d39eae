"""Forms a second of bert-base-cased: the plain fill-mask pipeline, `generation`, and the machine's own floor.

    python -m benchmarks.suggestions --problems snli/test.jsonl

The weights are random, of the true shape; the forms are those of real problems. All ways take turns in one run, so
that whatever else the machine does falls on all of them, and the median of the rounds is printed. The floor is the
same floating-point operations as plain matrix products. Last, how much bfloat16 changes what the embedded masked LMs
suggest.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from benchmarks.floor import Floor, flop_of_forms
from benchmarks.real_forms import forms_of
from benchmarks.shaped_masked_lms import SHAPES, save_masked_lm
from generation.masked_lms.encoded_forms import EncodedForm
from generation.masked_lms.loading import load_masked_lm
from generation.masked_lms.masked_lm import Fillers
from generation.replacements.filters import keep_suggestions
from merge_snli.inference.models import find_model

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from generation.masked_lms.masked_lm import MaskedLM
    from generation.sentences.forms import Form

TOP_K = 200
BARS = {"float32": (6.0, 3.5), "bfloat16": (13.0, 7.0)}
"""How often faster than the pipeline one by one, and in batches of 32, each precision should be."""
BAR_OF_FLOOR = 0.55
PRODUCTS_PER_ROUND = 4


def main() -> None:
    """Run the benchmark and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", default="demo:problems", help="a file of problems (default: the embedded ones)")
    parser.add_argument("--limit", type=int, default=2000, help="how many problems (default: 2000)")
    parser.add_argument("--forms", type=int, default=2000, help="how many forms `generation` is asked a round")
    parser.add_argument("--pipeline-forms", type=int, default=160, help="how many the pipeline is asked a round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--layers", type=int, default=12, help="bert-base: 12")
    parser.add_argument("--dtypes", nargs="+", default=list(BARS), choices=BARS, help="precisions (default: both)")
    parser.add_argument("--changes", type=int, default=1000, help="forms for the comparison of the two precisions")
    arguments = parser.parse_args()
    shape = SHAPES["bert-base-cased"] | {"num_hidden_layers": arguments.layers}
    forms = forms_of(arguments.problems, arguments.limit)
    with tempfile.TemporaryDirectory() as folder:
        save_masked_lm(Path(folder), (form.text for form in forms.values()), shape)
        rates = compare(folder, forms, shape, arguments)
    sys.stdout.write(f"{table(rates)}\n")
    if arguments.changes:
        sys.stdout.write(f"\n{changes(every_nth(forms, arguments.changes))}\n")


def compare(
    folder: str, forms: Mapping[str, Form], shape: dict[str, Any], arguments: argparse.Namespace
) -> dict[str, float]:
    """Let all ways take turns and return their forms a second."""
    mlms = {dtype: load_masked_lm(find_model(folder), device="cpu", dtype=dtype) for dtype in arguments.dtypes}
    one = next(iter(mlms.values()))
    asked = every_nth(answerable(forms, one), arguments.forms)
    few = [text_of(form) for form in every_nth(asked, arguments.pipeline_forms).values()]
    encoded = [one.encode(form) for form in asked.values()]
    lengths = [len(each.ids) for each in encoded if isinstance(each, EncodedForm)]
    plain = fill_mask(folder)
    floors = {dtype: Floor(shape, getattr(torch, dtype)) for dtype in mlms}
    flop_a_form = flop_of_forms(lengths, shape) / len(lengths)

    def seconds_of(way: Callable[[], object]) -> float:
        start = time.perf_counter()
        way()
        return time.perf_counter() - start

    ways: dict[str, Callable[[], float]] = {
        "pipeline, one by one": lambda: len(few) / seconds_of(lambda: [plain(text) for text in few]),
        "pipeline, batch_size=32": lambda: len(few) / seconds_of(lambda: plain(few, batch_size=32)),
    }
    for dtype, mlm in mlms.items():
        ways[f"generation, {dtype}"] = lambda mlm=mlm: (
            len(asked)
            / seconds_of(  # type: ignore[misc]
                lambda: list(mlm.answers(asked, TOP_K))
            )
        )
        ways[f"floor, {dtype}"] = lambda dtype=dtype: (  # type: ignore[misc]
            floors[dtype].flop_per_second(PRODUCTS_PER_ROUND) / flop_a_form
        )
    plain(few[:8], batch_size=8)
    for mlm in mlms.values():
        list(mlm.answers(every_nth(asked, 32), TOP_K))
    rounds = [{name: way() for name, way in ways.items()} for _ in range(arguments.rounds)]
    return {name: statistics.median(each[name] for each in rounds) for name in ways}


def every_nth(forms: Mapping[str, Form], count: int) -> dict[str, Form]:
    """Return so many forms, from all over."""
    keys = list(forms)[:: max(1, len(forms) // count)][:count]
    return {key: forms[key] for key in keys}


def answerable(forms: Mapping[str, Form], mlm: MaskedLM) -> dict[str, Form]:
    """Return the forms that can be asked: the pipeline knows no word that is several tokens either."""
    return {key: form for key, form in forms.items() if isinstance(mlm.encode(form), EncodedForm)}


def text_of(form: Form) -> str:
    """Return a form as the pipeline reads it."""
    return f"{form.text[: form.start]}[MASK]{form.text[form.end :]}"


def fill_mask(folder: str) -> Any:  # noqa: ANN401 - a pipeline
    """Load the plain pipeline, as a user would."""
    from transformers import pipeline
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    return pipeline("fill-mask", model=folder, top_k=TOP_K, dtype=torch.float32, device="cpu")


def table(rates: dict[str, float]) -> str:
    """Return the rates, how often faster `generation` is than the pipeline, and what share of the floor it reaches."""
    rows = ["| way | forms a second |", "| --- | --- |", *(f"| {name} | {rate:.1f} |" for name, rate in rates.items())]
    rows += ["", "| | against | ratio | at least |", "| --- | --- | --- | --- |"]
    for dtype in (dtype for dtype in BARS if f"generation, {dtype}" in rates):
        ours = rates[f"generation, {dtype}"]
        for way, bar in zip(("pipeline, one by one", "pipeline, batch_size=32"), BARS[dtype], strict=True):
            rows.append(f"| {dtype} | {way} | {ours / rates[way]:.2f} | {bar} |")
        rows.append(f"| {dtype} | floor | {ours / rates[f'floor, {dtype}']:.2f} | {BAR_OF_FLOOR} |")
    return "\n".join(rows)


def changes(forms: Mapping[str, Form]) -> str:
    """Say how much bfloat16 changes what the embedded masked LMs suggest for real forms."""
    rows = [
        f"What bfloat16 changes ({len(forms)} forms, words more probable than the original):",
        "",
        "| masked LM | forms asked | whose set changes | suggestions | in one precision only |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name in ("demo:mlm-wordpiece", "demo:mlm-bpe"):
        exact, coarse = (suggested(name, dtype, forms) for dtype in BARS)
        changed = sum(exact[key] != coarse[key] for key in exact)
        one_only = sum(len(exact[key] ^ coarse[key]) for key in exact)
        every = sum(len(exact[key] | coarse[key]) for key in exact)
        rows.append(
            f"| {name} | {len(exact)} | {changed} ({changed / len(exact):.1%}) | {every} | "
            f"{one_only} ({one_only / every:.2%}) |"
        )
    return "\n".join(rows)


def suggested(name: str, dtype: str, forms: Mapping[str, Form]) -> dict[str, frozenset[str]]:
    """Return the suggestions of a masked LM by form: whole words that are more probable than the original."""
    mlm = load_masked_lm(find_model(name), device="cpu", dtype=dtype)
    answers = {key: answer for some in mlm.answers(forms, TOP_K) for key, answer in some.items()}
    return {
        key: frozenset(
            each.word for each in keep_suggestions(answer, forms[key].original, mlm.vocabulary, frozenset())[0]
        )
        for key, answer in answers.items()
        if isinstance(answer, Fillers)
    }


if __name__ == "__main__":
    main()
