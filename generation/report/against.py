"""Compare two data sets: the seeds and variants that only one of them has, and why the other lacks them."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from generation.answers.store import MaskedLMAnswers
from generation.filters.definitions import NO_WORD
from generation.options import INTERSECTION, options_of_run, with_defaults
from generation.replacements.finding import FilteredWord, combine
from generation.replacements.judged import NOT_GOOD, variant_id
from generation.report.explain import filter_again, trace_form
from generation.sentences.forms import SIDES, match_case
from merge_snli.base.table import Column, Table
from merge_snli.dataset.judgments import judgments_of_run
from merge_snli.dataset.record import require
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.dataset.variants import masked_lm_names
from merge_snli.schema import ALL

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
    options, means = options_of_run(other.record.options), judgments_of_run(other).means
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
                    mean = means.get(variant_id(problem.id, filtered.word, variant.replacement), options.min_judged)
                    kept: Why = TOO_FEW if mean >= options.min_judged else (NOT_GOOD, None)
                    reasons[variant] = _dropped(variant, validators[variant], filtered, answers) if is_dropped else kept
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
        if (form.masked_lm, form.side) == (masked_lm, side) and replacement not in form.suggestions:
            original, traced = filtered.word.text, trace_form(form, answers)
            fillers = (filler for filler in traced if match_case(original, filler.word) == replacement)
            reasons = sorted((filler.dropped or NO_WORD.reason for filler in fillers), key=NO_WORD.reason.__eq__)
            return form.refused or next(iter(reasons), NOT_SUGGESTED), masked_lm
    return None


@dataclass(frozen=True)
class Side:
    """One of the two data sets.

    Attributes:
        name: `A` or `B`.
        dataset: The data set.
        variants: Its variants, with the masked LMs that validated them.
    """

    name: str
    dataset: MergeDataset
    variants: dict[VariantKey, Validators]

    @cached_property
    def by_config(self) -> dict[str, set[VariantKey]]:
        """The variants by config."""
        classes = self.dataset.record.options["classes"]
        return {ALL: {*self.variants}} | {
            name: {variant for variant in self.variants if variant.word_class == name} for name in classes
        }

    @cached_property
    def seeds(self) -> dict[str, set[Seed]]:
        """The seeds by config."""
        return {config: {variant.seed for variant in variants} for config, variants in self.by_config.items()}


def tables_against(
    dataset: MergeDataset, other: MergeDataset, *, work: Path | None = None, other_work: Path | None = None
) -> dict[str, Table]:
    """Return the tables that compare two data sets.

    Args:
        dataset: The first data set, A.
        other: The second data set, B.
        work: The work folder of A's run, to find out which filters dropped the variants that A lacks; None to tell
            only whether they need masked LMs that A lacks.
        other_work: The work folder of B's run, likewise.
    """
    for record in (dataset.record, other.record):
        require(record, "generation")
    a, b = _side("A", dataset), _side("B", other)
    only_a, only_b = _without(a, b), _without(b, a)
    return {
        "seeds": _count_table("Seeds of both data sets", a.seeds, b.seeds, _seed_notes(a, b)),
        "variants": _count_table("Variants of both data sets", a.by_config, b.by_config),
        "only_a_by_masked_lm": _masked_lm_table(a, b, only_a),
        "only_b_by_masked_lm": _masked_lm_table(b, a, only_b),
        "only_a_by_reason": _reason_table(a, b, only_a, other_work),
        "only_b_by_reason": _reason_table(b, a, only_b, work),
    }


def _side(name: str, dataset: MergeDataset) -> Side:
    table = read_split(dataset, ALL).select([*VariantKey._fields, "premise_mlms", "hypothesis_mlms"])
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return Side(name, dataset, {VariantKey(*row[:6]): (tuple(row[6]), tuple(row[7])) for row in rows})


def _without(side: Side, other: Side) -> dict[VariantKey, Validators]:
    return {variant: names for variant, names in side.variants.items() if variant not in other.variants}


def _count_table(
    title: str, a: Mapping[str, set[Any]], b: Mapping[str, set[Any]], notes: tuple[str, ...] = ()
) -> Table:
    """Return how many seeds or variants of each config are in both data sets, and in only one."""
    configs = dict.fromkeys(chain(a, b))
    return Table(
        title=title,
        columns=(Column("config", "left"), *map(Column, ("A", "B", "both", "only A", "only B"))),
        rows=tuple((config, *_counts(a.get(config, set()), b.get(config, set()))) for config in configs),
        notes=notes,
    )


def _seed_notes(a: Side, b: Side) -> tuple[str, ...]:
    same = a.dataset.record.sources[0].digest == b.dataset.record.sources[0].digest
    return (
        *(f"{side.name}: {side.dataset.record.title}, version {side.dataset.digest[:8]}" for side in (a, b)),
        "Seeds are the same if id, premise and hypothesis are.",
        *(() if same else ("The data sets were made from different problems.",)),
    )


def _counts(a: set[Any], b: set[Any]) -> tuple[int, ...]:
    both = len(a & b)
    return len(a), len(b), both, len(a) - both, len(b) - both


def _masked_lm_table(side: Side, other: Side, only: dict[VariantKey, Validators]) -> Table:
    """Count what only one data set has by the masked LM that validated it, and what it loses without the masked LM."""
    names = masked_lm_names(side.dataset.record)
    here = {*names}
    missing = here.difference(masked_lm_names(other.dataset.record))
    rows: list[tuple[str | int, ...]] = [
        (name, "no" if name in missing else "yes", *_lost(side, other, only, here - {name}, {name})) for name in names
    ]
    if len(missing) > 1:
        rows.append((f"all that {other.name} lacks", "no", *_lost(side, other, only, here - missing, missing)))
    return Table(
        title=f"Variants that only {side.name} has, by masked LM",
        columns=(
            Column("masked LM", "left"),
            Column(f"in {other.name}", "left"),
            *map(Column, ("variants", "need it", "seeds", "seeds lost")),
        ),
        rows=tuple(rows),
        notes=(
            f"variants: variants that only {side.name} has and the masked LM validated; need it: those that "
            f"{side.name} would not have without it.",
            f"seeds: seeds that only {side.name} has and the masked LM validated a variant of; seeds lost: those that "
            f"would have too few variants in every word class without it.",
        ),
    )


def _lost(
    side: Side, other: Side, only: dict[VariantKey, Validators], others: set[str], masked_lms: set[str]
) -> tuple[int, int, int, int]:
    """Count the variants and seeds that some masked LMs validated, and those that need them."""
    options = with_defaults(side.dataset.record.options)
    needed = {name: options[name] for name in ("sides", "min_mlms")}
    validated = {variant for variant, names in only.items() if masked_lms.intersection(chain(*names))}
    need = {variant for variant in validated if not is_validated(only[variant], others, **needed)}
    seeds = {variant.seed for variant in validated} - other.seeds[ALL]
    left = Counter(
        (variant.seed, variant.word_class)
        for variant, names in side.variants.items()
        if variant.seed in seeds and is_validated(names, others, **needed)
    )
    kept = {seed for (seed, _), count in left.items() if count >= options["inflation"]}
    return len(validated), len(need), len(seeds), len(seeds - kept)


def _reason_table(side: Side, other: Side, only: dict[VariantKey, Validators], other_work: Path | None) -> Table:
    reasons = why_lacking(only, side.dataset, other.dataset, other_work)
    variants = Counter(reasons.values())
    most_first = sorted(variants, key=lambda why: (-variants[why], why[0], why[1] or ""))
    lost = {(variant.seed, why) for variant, why in reasons.items() if variant.seed not in other.seeds[ALL]}
    seeds = Counter(why for _, why in lost)
    hint = () if other_work is not None else (_hint(side.dataset, other),)
    return Table(
        title=f"Variants that only {side.name} has, by why {other.name} lacks them",
        columns=(Column("reason", "left"), Column("masked LM", "left"), Column("variants"), Column("of seeds lost")),
        rows=tuple((*why, variants[why], seeds[why]) for why in most_first),
        notes=(
            f"of seeds lost: seeds with such a variant that {other.name} does not have at all.",
            *hint,
        ),
    )


def _hint(dataset: MergeDataset, other: Side) -> str:
    mine, theirs = (with_defaults(of.record.options) for of in (dataset, other.dataset))
    different = [name for name in mine if name != "mlm" and mine[name] != theirs[name]]
    option = "--work" if other.name == "A" else "--against-work"
    return (
        f"Options that differ: {', '.join(different) or 'none'}. To see which filters dropped the variants, name the "
        f"work folder of {other.name}'s run with {option}."
    )
