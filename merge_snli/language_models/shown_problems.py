"""Split a reply before the problems that it shows: repeated ones, and those that a base model invents."""

import re
from itertools import pairwise

# The start of a problem.
NEW_PROBLEM = re.compile(
    r"^(?:(?P<prompt>(?:how does the hypothesis relate|suppose this is true)\b)"
    r"|[#*_\s]*+(?P<named>(?:\d+[.)]\s*)?"
    r"(?:premise|hypothesis|question|q|problem|example|instruction|input|human|user)(?:\s*\d+)?[*_]*\s*:)?)",
    re.IGNORECASE | re.MULTILINE,
)
PREMISE, HYPOTHESIS, EXAMPLE = (
    re.compile(pattern, re.IGNORECASE) for pattern in ("premise", "hypothesis", r"\W*example")
)


def parts_by_problem(text: str) -> list[str]:
    r"""Split a text before each problem that it shows, so that no answer is read from a later, invented problem.

    A problem without a premise or a hypothesis has no answer and is left out, as is an example.

    Examples:
        >>> parts_by_problem("neutral\n\nPremise: A dog.\nHypothesis: A cat.\nAnswer: entailment")
        ['neutral', 'Premise: A dog.\nHypothesis: A cat.\nAnswer: entailment']
    """
    starts = [match.start() for match in NEW_PROBLEM.finditer(text) if match["named"] or match["prompt"]]
    bounds = [*starts, len(text)]
    parts = [text[: bounds[0]]]
    is_whole = True
    for start, end in pairwise(bounds):
        if is_whole:
            first = start
            missing = [PREMISE, HYPOTHESIS]
            is_example = EXAMPLE.match(text, start) is not None
        missing = [pattern for pattern in missing if not pattern.search(text, start, end)]
        is_whole = not missing and not is_example
        if is_whole:
            parts.append(text[first:end])
    return [part.strip() for part in parts if part.strip()]


def shows_problem(part: str) -> bool:
    """Return whether a text begins with a problem."""
    match = NEW_PROBLEM.match(part)
    return match is not None and bool(match["named"] or match["prompt"])
