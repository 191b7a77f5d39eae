"""Test whether masked LMs favor the NLI models that were fine-tuned from them (section 5.3 and Figure 7 of the paper).

The groups of variants are those of Table 9: by the masked LMs that validated a variant in premise or hypothesis. They
are seen from an NLI model, whose counterpart is the masked LM of the same architecture and size.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from merge_snli.base.arrays import Bools
from merge_snli.base.errors import InputError
from merge_snli.base.files import JsonObject
from merge_snli.comparison.curves import MeanCurve, mean_curve, mean_pattern_accuracy
from merge_snli.comparison.scored_dataset import ModelAnswers, NotComputable, ScoredDataset
from merge_snli.models.paper_models import family, paper_model

# Variants that exactly one masked LM validated: the counterpart, one of its family in another size, or one of another
# family. Then those that several masked LMs validated.
EQUIV, SIZE, ARCH, MULTI = GROUPS = ("equiv", "size", "arch", "multi")

# Seeds with fewer drawn variants in a group, over all subsamples, are left out of it. The paper has no minimum.
MINIMUM = 5


@dataclass(frozen=True, kw_only=True)
class FineTuned:
    """The four groups of variants.

    Attributes:
        minimum: Fewest drawn variants of a seed in a group.
        masked_lms: Counterpart of each model that has one.
        curves: Curve of each group that has a seed, averaged over the models that have one in it.
        groups: Every group of every model with a counterpart: the names of the `model`, of its counterpart,
            `masked_lm`, and of the `group`; the number of distinct drawn `variants` in it; the mean number that a
            subsample drew, the count of Table 9, `variants_per_subsample`; the number of `seeds` with at least
            `minimum` drawn variants in it, and of those with fewer, but at least one, `seeds_left_out`; and PA at the
            quality threshold on the remaining seeds, `pattern_accuracy`, NaN without a seed.
    """

    minimum: int
    masked_lms: dict[str, str]
    curves: dict[str, MeanCurve]
    groups: tuple[JsonObject, ...]


def fine_tuned(scored: ScoredDataset, counterparts: Mapping[str, str]) -> FineTuned:
    """Draw the PA curve of each group of variants, averaged over the models that have a counterpart.

    Args:
        scored: A config of a data set.
        counterparts: Masked LM of models, by name of the model (`--fine-tuned-from`), besides those of the paper's
            models.

    Raises:
        NotComputable: If no model has a counterpart among the masked LMs of the data set.
    """
    counterpart_of = _counterparts(scored, counterparts)
    if not counterpart_of:
        raise NotComputable(
            f"Figure 7 needs an NLI model whose masked LM made variants of this data set "
            f"({', '.join(scored.variants_by('masked_lm'))}): give --fine-tuned-from MODEL=MLM"
        )
    validated_by = scored.variants_by("masked_lm")
    groups = []
    masked: dict[str, list[tuple[ModelAnswers, Bools]]] = {group: [] for group in GROUPS}
    for model in scored.models:
        if model.name not in counterpart_of:
            continue
        masked_lm = counterpart_of[model.name]
        for group, mask in group_masks(validated_by, masked_lm).items():
            about = {"model": model.name, "masked_lm": masked_lm, "group": group}
            numbers, kept = _group(scored, model, mask)
            table = model.answers.counts(rows=kept)
            numbers["pattern_accuracy"] = mean_pattern_accuracy(table)
            groups.append(about | numbers)
            if table.sizes.any():
                masked[group].append((model, kept))
    curves = {group: mean_curve(of_group)[0] for group, of_group in masked.items() if of_group}
    return FineTuned(minimum=MINIMUM, masked_lms=counterpart_of, curves=curves, groups=tuple(groups))


def _group(scored: ScoredDataset, model: ModelAnswers, mask: Bools) -> tuple[JsonObject, Bools]:
    """Return the numbers of variants and seeds of a group, and its variants on seeds with enough of them."""
    drawn = mask & model.answers.is_predicted & scored.drawn
    sizes = np.bincount(scored.groups[drawn], minlength=len(scored.ids))
    enough = sizes >= MINIMUM
    subsamples = model.answers.counts(rows=mask).sizes
    numbers = {
        "variants": int(sizes.sum()),
        "variants_per_subsample": float(subsamples.sum() / len(subsamples)),
        "seeds": int(np.count_nonzero(enough)),
        "seeds_left_out": int(np.count_nonzero((sizes > 0) & ~enough)),
    }
    return numbers, mask & enough[scored.groups]


def check_counterparts(data: Sequence[ScoredDataset], counterparts: Mapping[str, str]) -> None:
    """Check that every model and masked LM of `--fine-tuned-from` is one of the data sets.

    Args:
        data: The data sets of a report.
        counterparts: Masked LM by name of the model.

    Raises:
        InputError: If a model was not scored on any of them, or a masked LM is not one of any of them.
    """
    models: dict[str, None] = {}
    masked_lms: dict[str, None] = {}
    for scored in data:
        for scored_model in scored.models:
            models |= dict.fromkeys(_names(scored_model))
        if scored.data.has_seeds:
            masked_lms |= dict.fromkeys(scored.variants_by("masked_lm"))
    for model, masked_lm in counterparts.items():
        for value, known, what in ((model, models, "scored model"), (masked_lm, masked_lms, "masked LM")):
            if value not in known:
                raise InputError(
                    f"⟦fine_tuned_from⟧ {model}={masked_lm}: {value} is not a {what} of the data sets; choose "
                    f"from {', '.join(known)}"
                )


def group_masks(validated_by: Mapping[str, Bools], masked_lm: str) -> dict[str, Bools]:
    """Return the variants of each group, seen from a counterpart, [n_variants] each.

    Args:
        validated_by: The variants that each masked LM validated, [n_variants] each.
        masked_lm: The counterpart, one of these masked LMs.
    """
    number = np.sum(list(validated_by.values()), axis=0)
    relatives = family(masked_lm)
    masks = {group: np.zeros(len(number), dtype=bool) for group in GROUPS}
    for name, mask in validated_by.items():
        group = SIZE if name in relatives else ARCH
        if name == masked_lm:
            group = EQUIV
        masks[group] |= mask & (number == 1)
    masks[MULTI] = number > 1
    return masks


def _counterparts(scored: ScoredDataset, given: Mapping[str, str]) -> dict[str, str]:
    """Return the counterpart of each model that has one among the masked LMs of the data set."""
    counterparts = {}
    for model in scored.models:
        known = paper_model(model.result.model.name)
        masked_lm = None if known is None else known.masked_lm
        for name in reversed(_names(model)):
            masked_lm = given.get(name, masked_lm)
        if masked_lm is not None and masked_lm in scored.variants_by("masked_lm"):
            counterparts[model.name] = masked_lm
    return counterparts


def _names(model: ModelAnswers) -> tuple[str, str]:
    """Return the names by which a user may mean a model: its name in tables, and that of the folder or Hub id."""
    return model.name, model.result.model.name
