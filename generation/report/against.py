"""Compare two data sets: the seeds and variants that only one of them has, and why the other lacks them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from generation.options import with_defaults
from generation.report.why_lacking import Why, is_validated, lacking_masked_lms, why_lacking
from merge_snli.dataset import read_split
from merge_snli.schema import ALL
from merge_snli.table import Column, Table
from merge_snli.validated_by import masked_lm_names

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from pathlib import Path

    from merge_snli.dataset import MergeDataset

COLUMNS = ("seed_id", "seed_premise", "seed_hypothesis", "word_class", "original", "replacement")


class Seed(NamedTuple):
    """A seed; two data sets have the same one if id and sentences are equal."""

    id: str
    premise: str
    hypothesis: str


class Variant(NamedTuple):
    """A variant, by the seed and the replacement."""

    seed: Seed
    word_class: str
    original: str
    replacement: str


class Validators(NamedTuple):
    """Names of the masked LMs that validated a variant."""

    premise: tuple[str, ...]
    hypothesis: tuple[str, ...]


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
    variants: dict[Variant, Validators]

    @cached_property
    def seeds(self) -> dict[str, set[Seed]]:
        """The seeds by config."""
        found: dict[str, set[Seed]] = {ALL: set(), **{name: set() for name in self.dataset.record.options["classes"]}}
        for variant in self.variants:
            found[ALL].add(variant.seed)
            found[variant.word_class].add(variant.seed)
        return found


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

    Raises:
        InputError: If a file of a data set is missing or is not the one that its record lists; if a work folder
            lacks the problems or an answer, or the tagger or a masked LM has changed.
    """
    a, b = _side("A", dataset), _side("B", other)
    only_a, only_b = _without(a, b), _without(b, a)
    return {
        "seeds": _seed_table(a, b),
        "variants": _variant_table(a, b),
        "only_a_by_masked_lm": _masked_lm_table(a, b, only_a),
        "only_b_by_masked_lm": _masked_lm_table(b, a, only_b),
        "only_a_by_reason": _reason_table(a, b, only_a, other_work),
        "only_b_by_reason": _reason_table(b, a, only_b, work),
    }


def _side(name: str, dataset: MergeDataset) -> Side:
    table = read_split(dataset, ALL).select([*COLUMNS, "premise_mlms", "hypothesis_mlms"])
    columns = [column.to_pylist() for column in table.columns]
    return Side(
        name,
        dataset,
        {
            Variant(Seed(*row[:3]), *row[3:6]): Validators(tuple(row[6]), tuple(row[7]))
            for row in zip(*columns, strict=True)
        },
    )


def _without(side: Side, other: Side) -> dict[Variant, Validators]:
    return {variant: names for variant, names in side.variants.items() if variant not in other.variants}


def _seed_table(a: Side, b: Side) -> Table:
    configs = dict.fromkeys(chain(a.seeds, b.seeds))
    rows: list[tuple[str | int, ...]] = [
        (config, *_counts(a.seeds.get(config, set()), b.seeds.get(config, set()))) for config in configs
    ]
    same = a.dataset.record.problems.digest == b.dataset.record.problems.digest
    return Table(
        title="Seeds of both data sets",
        columns=_count_columns(),
        rows=tuple(rows),
        notes=(
            *(f"{side.name}: {side.dataset.record.title}, version {side.dataset.digest[:8]}" for side in (a, b)),
            "Seeds are the same if id, premise and hypothesis are.",
            *(() if same else ("The data sets were made from different problems.",)),
        ),
    )


def _variant_table(a: Side, b: Side) -> Table:
    configs = dict.fromkeys(chain(a.seeds, b.seeds))

    def of(side: Side, config: str) -> set[Variant]:
        return {variant for variant in side.variants if config in (ALL, variant.word_class)}

    return Table(
        title="Variants of both data sets",
        columns=_count_columns(),
        rows=tuple((config, *_counts(of(a, config), of(b, config))) for config in configs),
    )


def _count_columns() -> tuple[Column, ...]:
    return (Column("config", "left"), *map(Column, ("A", "B", "both", "only A", "only B")))


def _counts(a: Collection[object], b: Collection[object]) -> tuple[int, ...]:
    both = len({*a} & {*b})
    return len(a), len(b), both, len(a) - both, len(b) - both


def _masked_lm_table(side: Side, other: Side, only: dict[Variant, Validators]) -> Table:
    """Count what only one data set has by the masked LM that validated it, and what it loses without the masked LM."""
    names = masked_lm_names(side.dataset)
    here = {*names}
    missing = lacking_masked_lms(side.dataset, other.dataset)
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
    side: Side, other: Side, only: dict[Variant, Validators], others: set[str], masked_lms: set[str]
) -> tuple[int, int, int, int]:
    """Count the variants and seeds that some masked LMs validated, and those that need them."""
    options = with_defaults(side.dataset.record.options)
    needed = {name: options[name] for name in ("sides", "min_mlms")}
    validated = {variant for variant, names in only.items() if masked_lms & {*names.premise, *names.hypothesis}}
    need = {variant for variant in validated if not is_validated(only[variant], others, **needed)}
    seeds = {variant.seed for variant in validated} - other.seeds[ALL]
    left = Counter(
        (variant.seed, variant.word_class)
        for variant, names in side.variants.items()
        if variant.seed in seeds and is_validated(names, others, **needed)
    )
    kept = {seed for (seed, _), count in left.items() if count >= options["inflation"]}
    return len(validated), len(need), len(seeds), len(seeds - kept)


def _reason_table(side: Side, other: Side, only: dict[Variant, Validators], other_work: Path | None) -> Table:
    reasons = why_lacking(only, side.dataset, other.dataset, other_work)
    variants, seeds = Counter(reasons.values()), Counter(_seeds_by_reason(reasons, other.seeds[ALL]))
    hint = () if other_work is not None else (_hint(side.dataset, other),)
    return Table(
        title=f"Variants that only {side.name} has, by why {other.name} lacks them",
        columns=(Column("reason", "left"), Column("masked LM", "left"), Column("variants"), Column("of seeds lost")),
        rows=tuple((why.reason, why.masked_lm, count, seeds[why]) for why, count in _most_first(variants)),
        notes=(
            f"of seeds lost: seeds with such a variant that {other.name} does not have at all.",
            *hint,
        ),
    )


def _seeds_by_reason(reasons: dict[Variant, Why], kept: set[Seed]) -> Iterable[Why]:
    found = {(variant.seed, why) for variant, why in reasons.items() if variant.seed not in kept}
    return (why for _, why in found)


def _most_first(variants: Counter[Why]) -> Sequence[tuple[Why, int]]:
    return sorted(variants.items(), key=lambda each: (-each[1], each[0].reason, each[0].masked_lm or ""))


def _hint(dataset: MergeDataset, other: Side) -> str:
    mine, theirs = (with_defaults(each.record.options) for each in (dataset, other.dataset))
    different = [name for name in mine if name != "mlm" and mine[name] != theirs[name]]
    option = "--work" if other.name == "A" else "--against-work"
    return (
        f"Options that differ: {', '.join(different) or 'none'}. To see which filters dropped the variants, name the "
        f"work folder of {other.name}'s run with {option}."
    )
