"""Find out why a data set lacks variants that another one has, from the stored answers of its run."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from generation.answers.store import MaskedLMAnswers
from generation.filters.definitions import NO_WORD
from generation.options import INTERSECTION, options_of_run, with_defaults
from generation.replacements.finding import FilteredWord, combine
from generation.report.stored_answers import filter_again, trace_form
from generation.sentences.forms import SIDES, match_case
from merge_snli.dataset.stored import MergeDataset
from merge_snli.dataset.variants import masked_lm_names

# Why a data set lacks a variant: a reason, and the masked LM whose filler was dropped, if one was.
Why = tuple[str, str | None]

MASKED_LMS: Why = "masked LMs that it lacks", None
OPTIONS: Why = "other options or filters", None
NO_PROBLEM: Why = "not one of its problems", None
NOT_REPLACED: Why = "word not replaced", None
TOO_FEW: Why = "too few variants of the seed", None
SETS: Why = "set operations", None
NOT_SUGGESTED = "not among the fillers"

# The id, premise and hypothesis of a seed; two data sets have the same one if all are equal.
Seed = tuple[str, str, str]

# Names of the masked LMs that validated a variant, in the premise and in the hypothesis.
Validators = tuple[tuple[str, ...], tuple[str, ...]]


class VariantKey(NamedTuple):
    """A variant, by what it has in common with the same one in another data set."""

    seed_id: str
    seed_premise: str
    seed_hypothesis: str
    word_class: str
    original: str
    replacement: str

    @property
    def seed(self) -> Seed:
        """The seed."""
        return self[:3]


def is_validated(names: Validators, masked_lms: set[str], *, sides: str, min_mlms: int) -> bool:
    """Return whether some masked LMs are enough for a variant.

    Args:
        names: The masked LMs that validated it.
        masked_lms: Those that count.
        sides: `intersection` or `union`, as in `Options`.
        min_mlms: Number of masked LMs that must validate it in a sentence.
    """
    enough = [len(masked_lms.intersection(of_side)) >= min_mlms for of_side in names]
    return all(enough) if sides == INTERSECTION else any(enough)


def why_lacking(
    variants: Mapping[VariantKey, Validators], dataset: MergeDataset, other: MergeDataset, other_work: Path | None
) -> dict[VariantKey, Why]:
    """Return why a data set lacks variants of another one.

    Args:
        variants: The variants, with the masked LMs that validated them.
        dataset: The data set that has them.
        other: The data set that lacks them.
        other_work: The work folder of the other data set's run; None to tell only whether its masked LMs suffice.
    """
    mine, theirs = (with_defaults(of.record.options) for of in (dataset, other))
    needed = {"sides": mine["sides"], "min_mlms": min(mine["min_mlms"], theirs["min_mlms"])}
    of_other = {*masked_lm_names(other.record)}
    reasons: dict[VariantKey, Why] = {}
    unexplained: dict[str, list[VariantKey]] = defaultdict(list)
    for variant, names in variants.items():
        if not is_validated(names, of_other, **needed):
            reasons[variant] = MASKED_LMS
        elif other_work is None:
            reasons[variant] = OPTIONS
        else:
            unexplained[variant.seed_id].append(variant)
    if other_work is not None and unexplained:
        reasons |= _trace(unexplained, variants, other, other_work)
    return reasons


def _trace(
    unexplained: Mapping[str, list[VariantKey]],
    validators: Mapping[VariantKey, Validators],
    other: MergeDataset,
    work: Path,
) -> dict[VariantKey, Why]:
    """Look the variants of each problem up in the filtered answers of the other run."""
    options = options_of_run(other.record.options)
    reasons = {variant: NO_PROBLEM for variants in unexplained.values() for variant in variants}
    for words, answers in filter_again(other, work, ids=unexplained.keys()):
        for filtered in words:
            problem = filtered.tagged.problem
            of_problem = [
                variant
                for variant in unexplained[problem.id]
                if variant.seed[1:] == (problem.premise, problem.hypothesis)
            ]
            reasons |= {variant: NOT_REPLACED for variant in of_problem if reasons[variant] == NO_PROBLEM}
            word = (filtered.word.word_class, filtered.word.text)
            looked_up = [variant for variant in of_problem if (variant.word_class, variant.original) == word]
            if looked_up:
                replacements = {replacement.word for replacement in combine(filtered, options).replacements}
                for variant in looked_up:
                    is_dropped = variant.replacement not in replacements
                    reasons[variant] = (
                        _dropped(variant, validators[variant], filtered, answers) if is_dropped else TOO_FEW
                    )
    return reasons


def _dropped(
    variant: VariantKey, validators: Validators, filtered: FilteredWord, answers: Mapping[str, MaskedLMAnswers]
) -> Why:
    """Return why the first masked LM that validated a variant in the other run does not in this one."""
    for side, names in zip(SIDES, validators, strict=True):
        by_name = {name: _dropped_by(name, side, variant.replacement, filtered, answers[name]) for name in answers}
        dropped = [why for name in names if (why := by_name.get(name)) is not None]
        if dropped and None not in by_name.values():
            return dropped[0]
    return SETS


def _dropped_by(
    masked_lm: str, side: str, replacement: str, filtered: FilteredWord, answers: MaskedLMAnswers
) -> Why | None:
    """Return why a masked LM does not validate a word in a sentence; None if it does."""
    for form in filtered.forms:
        if (form.masked_lm, form.side) == (masked_lm, side):
            traced, original = trace_form(form, filtered.word, answers), filtered.word.text
            if replacement not in traced.kept:
                fillers = (filler for filler in traced.fillers if match_case(original, filler.word) == replacement)
                reasons = sorted((filler.dropped or NO_WORD.reason for filler in fillers), key=NO_WORD.reason.__eq__)
                return traced.refused or next(iter(reasons), NOT_SUGGESTED), masked_lm
    return None
