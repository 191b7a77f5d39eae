"""`merge-snli explain`: why one problem has the variants that it has."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from generation.report.explain import ExplainedWord, Explanation
    from generation.report.trace import TracedForm

EXAMPLES = 8
"""How many of the words that a filter dropped are shown."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("dataset", metavar="DIR", help="the folder of a finished run")
    parser.add_argument("--seed-id", required=True, metavar="ID", help="the problem's id")
    parser.add_argument("--work", type=Path, metavar="DIR", help="the run's work folder (default: DIR.work)")
    parser.add_argument("--json", action="store_true", help="print one JSON document, with every filler")


def run(arguments: argparse.Namespace) -> int:
    """Print one problem's way through the run."""
    from generation.report.explain import explain
    from generation.work.folder import work_folder_of
    from merge_snli.dataset import find_dataset

    source = find_dataset(arguments.dataset)
    found = explain(source, arguments.seed_id, work_folder_of(source.folder.absolute(), arguments.work))
    text = json.dumps(_as_dict(found), indent=2, ensure_ascii=False) if arguments.json else explanation_text(found)
    sys.stdout.write(text + "\n")
    return 0


def _as_dict(found: Explanation) -> dict[str, Any]:
    return {
        **asdict(found.problem),
        "label": found.label,
        "variants": found.variants,
        "words": [asdict(each) for each in found.words],
    }


def explanation_text(found: Explanation) -> str:
    """Return an explanation as text: counts of what was dropped with examples, and every word that stayed."""
    lines = [
        f"premise     {found.problem.premise}",
        f"hypothesis  {found.problem.hypothesis}",
        f"label       {found.label}",
    ]
    for each in found.words:
        lines += ["", *_word_lines(each, found)]
    return "\n".join([*lines, "", *_class_lines(found)])


def _word_lines(each: ExplainedWord, found: Explanation) -> Iterator[str]:
    word = each.word
    places = f"{len(word.premise)} in the premise, {len(word.hypothesis)} in the hypothesis"
    yield f"{word.text} ({word.word_class}; {places})"
    if word.left_out is not None:
        yield f"  left out: {word.left_out}"
    elif word.word_class not in found.options.classes:
        yield "  not replaced: its class is none of the run's"
    else:
        for form in each.forms:
            yield from _form_lines(form)
        both = " or " if found.options.sides == "union" else " and "
        yield f"  stayed in premise{both}hypothesis: {len(each.replacements)}"
        yield f"    {_listed([replacement.word for replacement in each.replacements])}"


def _form_lines(form: TracedForm) -> Iterator[str]:
    where = f"  {form.masked_lm}, {form.side} at {form.start}:"
    if form.refused is not None:
        yield f"{where} not asked: {form.refused}"
        return
    yield f"{where} {len(form.fillers)} fillers, {len(form.kept)} stayed: {_listed(list(form.kept))}"
    dropped: dict[str, list[str]] = {}
    for filler in form.fillers:
        if filler.dropped is not None:
            dropped.setdefault(filler.dropped, []).append(filler.word)
    for reason, words in dropped.items():
        more = ", …" if len(words) > EXAMPLES else ""
        yield f"    {reason} {len(words)}: {_listed(words[:EXAMPLES])}{more}"


def _class_lines(found: Explanation) -> Iterator[str]:
    """Say of each class whether there are enough variants."""
    for name in found.options.classes:
        count = sum(len(each.replacements) for each in found.words if each.word.word_class == name)
        there = found.variants.get(name, 0)
        verdict = f"{there} variants in config {name}" if there else f"no seed of config {name}"
        yield f"{name}: {count} replacements, of {found.options.inflation} that a seed needs: {verdict}"


def _listed(words: list[str]) -> str:
    return ", ".join(word or "(no text)" for word in words) or "none"
