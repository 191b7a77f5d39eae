"""Format the explanation of a problem as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generation.options import UNION

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from generation.report.explain import ExplainedWord, Explanation
    from generation.report.trace import TracedForm

EXAMPLES = 8
"""Number of words shown for each reason to drop a filler."""


def explanation_text(explanation: Explanation) -> str:
    """Return an explanation as text: counts and examples of the dropped fillers, and all replacements."""
    lines = [
        f"premise     {explanation.problem.premise}",
        f"hypothesis  {explanation.problem.hypothesis}",
        f"label       {explanation.label}",
    ]
    for each in explanation.words:
        lines += ["", *_word_lines(each, explanation)]
    return "\n".join([*lines, "", *_class_lines(explanation), ""])


def _word_lines(explained: ExplainedWord, explanation: Explanation) -> Iterator[str]:
    word, options = explained.word, explanation.options
    yield (
        f"{word.text} ({word.word_class}; {len(word.premise)} in the premise, {len(word.hypothesis)} in the hypothesis)"
    )
    if word.left_out is not None:
        yield f"  left out: {word.left_out}"
    elif word.word_class not in options.classes:
        yield f"  not replaced: the run replaces {', '.join(options.classes)}"
    else:
        for form in explained.forms:
            yield from _form_lines(form)
        for reason, of_sides in explained.dropped.items():
            for side, words in of_sides.items():
                yield f"  {reason} in the {side} {len(words)}: {_examples(words)}"
        both = "or" if options.sides == UNION else "and"
        yield f"  validated in premise {both} hypothesis: {len(explained.replacements)}"
        yield f"    {_listed([replacement.word for replacement in explained.replacements])}"


def _form_lines(form: TracedForm) -> Iterator[str]:
    where = f"  {form.masked_lm}, {form.side} at {form.start}:"
    if form.refused is not None:
        yield f"{where} no answer: {form.refused}"
        return
    yield f"{where} {len(form.fillers)} fillers, {len(form.kept)} kept: {_listed(list(form.kept))}"
    dropped: dict[str, list[str]] = {}
    for filler in form.fillers:
        if filler.dropped is not None:
            dropped.setdefault(filler.dropped, []).append(filler.word)
    for reason, words in dropped.items():
        yield f"    {reason} {len(words)}: {_examples(words)}"


def _class_lines(explanation: Explanation) -> Iterator[str]:
    """Say for each class whether the problem has enough replacements to be a seed."""
    for name in explanation.options.classes:
        count = sum(len(each.replacements) for each in explanation.words if each.word.word_class == name)
        variants = explanation.variants.get(name, 0)
        verdict = f"{variants} variants in config {name}" if variants else f"not a seed of config {name}"
        yield f"{name}: {count} replacements, a seed needs {explanation.options.inflation}: {verdict}"


def _examples(words: Sequence[str]) -> str:
    return _listed(words[:EXAMPLES]) + (", …" if len(words) > EXAMPLES else "")


def _listed(words: Sequence[str]) -> str:
    return ", ".join(word or "(no text)" for word in words) or "none"
