"""Problems from an open source: one pass checks and counts them, and further passes yield them."""

import hashlib
import json
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from merge_snli.base.errors import SHOWN_VALUES, InputError
from merge_snli.base.progress import Stage
from merge_snli.base.table import count
from merge_snli.dataset.label_spellings import Labels
from merge_snli.problems.language import LanguageCheck
from merge_snli.problems.markup import MarkupCheck
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import Problem
from merge_snli.problems.reading_warnings import RepeatedPairs, warn_of_assumed_names, warn_of_no_label
from merge_snli.problems.rows import label_text
from merge_snli.problems.source import ProblemSource, no_problem, open_source

logger = logging.getLogger(__name__)

DIGEST_MODULUS = 2**256

# Hexadecimal digits of an id that is made from the content.
CONTENT_ID_DIGITS = 12


@dataclass(frozen=True)
class Survey:
    """The result of a first pass over a source.

    Attributes:
        label_names: Names of the labels in the order of their numbers.
        with_label: Number of rows with a gold label, which are the problems.
        without_label: Number of rows without a gold label, which are left out.
        digest: Sum of the sha256 of every problem, modulo 2^256, in hexadecimal digits. Independent of their order.
        problems: All problems in the order of the source, from `read_problems`.
        invalid: Number of rows that are not valid problems and were left out; None if there is none.
    """

    label_names: Labels
    with_label: int
    without_label: int
    digest: str
    problems: tuple[Problem, ...] = ()
    invalid: int | None = None


def read_problems(options: ProblemOptions) -> Survey:
    """Read all problems of a source into memory.

    Args:
        options: Names the source, its columns and its labels.
    """
    source = open_source(options)
    survey = survey_problems(source)
    return replace(survey, problems=tuple(stream_problems(source, survey)))


def survey_problems(source: ProblemSource, stage: Stage | None = None, language: LanguageCheck | None = None) -> Survey:
    """Read a source once to check every row, count the problems and compute their digest.

    The memory that grows with the source is that of its ids and of a number per pair, not of its texts.

    Args:
        source: The source.
        stage: Counts the rows that were read.
        language: Checks the language of the problems; None for any language.
    """
    options = source.options
    names = source.labels.names
    problems = options.problems
    total = 0
    ids: dict[str, str] = {}
    labels: Counter[int] = Counter()
    without_label: Counter[str] = Counter()
    invalid = []
    first_error: InputError | None = None
    pairs = RepeatedPairs()
    markup = MarkupCheck()
    for row, problem, error in source:
        if stage is not None:
            stage.advance(1)
        location = row.location
        if error is not None:
            invalid.append(location)
            first_error = first_error or error
        elif problem is None:
            without_label[label_text(row, options.label_column)] += 1
        if problem is None or (invalid and not options.skip_invalid):
            continue
        if language is not None:
            language.add(location, problem.premise, problem.hypothesis)
        markup.add(location, problem.premise, problem.hypothesis)
        pairs.add(location, (problem.premise, problem.hypothesis), problem.label)
        labels[problem.label] += 1
        identity = _base_id(problem, names)
        total += content_number(identity, problem.premise, problem.hypothesis, names[problem.label], *problem.extra)
        if problem.id in ids:
            raise InputError(
                f"{location}: duplicate id {identity!r} (first seen at {ids[identity]}). Ids must be unique; without "
                "⟦id_column⟧ they are made from the content"
            )
        if problem.id:
            ids[identity] = location
    if first_error is not None and not options.skip_invalid:
        raise _with_others(first_error, invalid[1:])
    if invalid:
        logger.warning("%s: %s left out", problems, _listed(invalid, "invalid row"))
    with_label = labels.total()
    if not with_label:
        raise InputError(no_problem(source, without_label.total()))
    if language is not None:
        language.require(str(problems))
    pairs.warn_of_several_labels(problems)
    pairs.warn_of_copies(problems, with_label)
    for message in markup.messages():
        logger.warning("%s: %s: clean the texts if this is not part of them", problems, message)
    if without_label:
        warn_of_no_label(source, without_label)
    warn_of_assumed_names(source, labels)
    return Survey(names, with_label, without_label.total(), digest_of(total), invalid=len(invalid) or None)


def _with_others(error: InputError, others: Sequence[str]) -> InputError:
    """Return the error of the first invalid row, with the locations of the others."""
    if not others:
        return error
    more = f"{_listed(others, 'more invalid row')}; ⟦skip_invalid=True⟧ leaves them out"
    return InputError(f"{error.message.marked} ({more})")


def _listed(locations: Sequence[str], what: str) -> str:
    """Return the number of some rows and where the first ones are."""
    shown = locations[:SHOWN_VALUES]
    if len(shown) < len(locations):
        shown = [*shown, "…"]
    return f"{count(len(locations), what)}: {', '.join(shown)}"


def content_number(*content: str) -> int:
    """Return the sha256 of the content of a row as a number, to be summed over the rows."""
    return int.from_bytes(hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).digest())


def digest_of(total: int) -> str:
    """Return the digest of rows from the sum of their `content_number`, which does not depend on their order."""
    return f"{total % DIGEST_MODULUS:064x}"


def stream_problems(source: ProblemSource, survey: Survey) -> Iterator[Problem]:
    """Yield the problems of a source one by one, in the source's order.

    Args:
        source: The source.
        survey: The survey of the same source.
    """
    copies: Counter[str] = Counter()
    number = 0
    for _, problem, _ in source:
        if problem is None:
            continue
        number += 1
        identity = _base_id(problem, survey.label_names)
        if not problem.id:
            copies[identity] += 1
            if copies[identity] > 1:  # the first keeps its id, the second gets -2, and so on
                identity += f"-{copies[identity]}"
        yield replace(problem, id=identity)
    if number != survey.with_label:
        raise InputError(f"{source.options.problems} changed while it was read; run the command again")


def _base_id(problem: Problem, label_names: Sequence[str]) -> str:
    """Return the source's id of a problem, or the id made from its content, without ordinal."""
    return problem.id or content_id(problem.premise, problem.hypothesis, label_names[problem.label])


def content_id(premise: str, hypothesis: str, label: str) -> str:
    """Return the first `CONTENT_ID_DIGITS` hexadecimal digits of the sha256 of a problem's content."""
    return f"{content_number(premise, hypothesis, label):064x}"[:CONTENT_ID_DIGITS]
