"""Choose which models are compared with each other, and say which are not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from merge_snli.base.errors import InputError
from merge_snli.results.grouping import (
    NamedResults,
    comparable_models,
    names_of,
    results_by_name,
    titles_of,
    two_way_suffix,
)
from merge_snli.results.prompts import PromptGroup, on_common_prompts
from merge_snli.results.result import Result


class NotComparable(InputError):  # noqa: N818 - as `NotComputable`
    """No two models were scored on the same seeds of the same data and config."""


@dataclass(frozen=True)
class Chosen:
    """The models to compare on one config of one data set, or the prompts of one of them.

    Attributes:
        models: The models on the groups that most models have, or the results of a model with each prompt.
        apart: The other models, each with what it lacks.
        prompted: The mean over the prompts, if prompts are compared.
        alone: Notes on models of the same data with other labels than all others.
    """

    models: NamedResults
    apart: Mapping[str, str] = field(default_factory=dict)
    prompted: PromptGroup | None = None
    alone: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def first(self) -> Result:
        """The first model."""
        return next(iter(self.models.values()))


def choose(results: Sequence[Result]) -> list[Chosen]:
    """Return the models that are compared with each other.

    Each model with several prompts is compared with the others by the mean over them, and its prompts with each other.

    Args:
        results: Results, as `aligned` returns them.

    Raises:
        NotComparable: If there are no two models to compare.
    """
    chosen: list[Chosen] = []
    single: list[Chosen] = []
    for models, apart in comparable_models(results):
        common = on_common_prompts(models)
        named = results_by_name(common)
        names = names_of([model for model, _ in apart])
        missing = dict(zip(names, (reason for _, reason in apart), strict=True))
        (chosen if len(named) > 1 else single).append(Chosen(named, missing))
        for model in (*models, *(model for model, _ in apart)):
            if isinstance(model, PromptGroup):
                chosen.append(Chosen(model.prompts, prompted=model))
    for other in single:
        labels = ", ".join(other.first.compared_labels)
        note = f"not compared, because no other model here answers with the labels {labels}"
        for each in chosen:
            if each.prompted is None and each.first.dataset.key == other.first.dataset.key:
                each.alone.update(dict.fromkeys(other.models, (note,)))
    if not chosen:
        raise NotComparable(_not_comparable(single))
    return chosen


def titles_of_chosen(chosen: Sequence[Chosen], min_agreement: float | None = None) -> list[str]:
    """Return what each comparison is of: data set and config, and what the models or seeds have in common.

    Args:
        chosen: What is compared.
        min_agreement: Smallest share of annotators who gave the gold label to a seed; None for all seeds.
    """
    titles = []
    for title, each in zip(titles_of([each.first.dataset for each in chosen]), chosen, strict=True):
        title += two_way_suffix(each.first)
        if each.prompted is not None:
            title += f", prompts of {each.prompted.model.name}"
        if min_agreement is not None:
            title += f", agreement of at least {min_agreement:.3g}"
        titles.append(title)
    return titles


def _not_comparable(single: Sequence[Chosen]) -> str:
    """Return why no two models are compared, with what was scored on which data."""
    scored = []
    for where, each in zip(titles_of_chosen(single), single, strict=True):
        scored += [f"{name} on {where}" for name in each.models]
        scored += [f"{name} on {where} with {reason}" for name, reason in each.apart.items()]
    return (
        "no two models were scored on the same seeds of the same data and config, in the same labels "
        f"({'; '.join(scored) or 'no results'}): score another model with the same ⟦dataset⟧, ⟦config⟧ and ⟦out⟧, or "
        "add ⟦common_seeds=True⟧"
    )
