"""Write the seeds and variants of one config, with the answers of models, as a page that works offline."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from merge_snli.answers.opening import open_config
from merge_snli.base.errors import InputError, listed
from merge_snli.base.files import write_text
from merge_snli.base.progress import step
from merge_snli.base.templates import page_template
from merge_snli.card.metadata import may_be_shared
from merge_snli.comparison.corpus import CorpusCounts
from merge_snli.comparison.html_page import asset, check_page, combined_script, content_policy, shared_style
from merge_snli.comparison.scored_dataset import ScoredDataset, scored_dataset
from merge_snli.comparison.standings import standings
from merge_snli.comparison.testing import Significance
from merge_snli.dataset.record import require
from merge_snli.dataset.stored import MergeDataset, find_dataset
from merge_snli.explorer.data import packed
from merge_snli.results.alignment import aligned
from merge_snli.results.evaluate import dataset_record
from merge_snli.results.grouping import model_key, on_same_data, ranked, results_by_name
from merge_snli.results.result import Result
from merge_snli.results.rows import DEFINITIONS
from merge_snli.schema import ALL

# The scores of each model on the page.
SCORES = ("Seeds", "Variants")


def results_on(results: Iterable[Result], dataset: MergeDataset, config: str | None = None) -> list[Result]:
    """Return the results on one config of a data set, best first; a model with two names once, as in `on_same_data`.

    Args:
        results: Results on any data.
        dataset: The data set.
        config: The config; by default the only one with results, else `all`.

    Raises:
        InputError: If the data set has no seeds, or no result is on the config.
    """
    require(dataset.record, "has_seeds")
    by_config: dict[str, list[Result]] = {}
    for result in results:
        if result.dataset.digest == dataset.digest:
            by_config.setdefault(str(result.dataset.config), []).append(result)
    chosen = config or ALL
    if config is None and len(by_config) == 1:
        [chosen] = by_config
    if chosen not in by_config:
        raise InputError(
            f"no result is on all seeds of config {chosen} of {dataset.name} (sha256 {dataset.digest[:12]}…; configs "
            f"with results: {listed(sorted(by_config)) or 'none'}): choose another ⟦config⟧, or score a model on this "
            "one with merge-snli score"
        )
    by_model = {model_key(result): result for result in on_same_data(by_config[chosen])[0]}
    return [by_model[model_key(result)] for result in ranked(aligned(by_model.values()))]


def write_explorer(
    results: Sequence[Result],
    dataset: object,
    out: str | Path,
    *,
    config: str | None = None,
    with_text: bool = False,
    corpus: CorpusCounts | None = None,
    significance: Significance | None = None,
    common_seeds: bool = False,
) -> Path:
    """Write a page with every seed and variant, and every answer of models.

    Args:
        results: Results on one config of the data set; none for a page without answers.
        dataset: The data set: a folder, a Hub id, a `MergeDataset`, or what `load_dataset` returned.
        out: Output folder.
        config: The config, without results; by default `all`, or that of loaded rows.
        with_text: Whether to include the sentences although their license may forbid sharing them.
        corpus: Counts of the words of training data, to show with the replacements.
        significance: How the models are tested; by default with the permutation test at 5%.
        common_seeds: Whether scores and tests are those on the seeds that all models have.

    Returns:
        Path of the page.

    Raises:
        InputError: If a result does not fit the data set, the data has no seeds, or `out` is not writable.
    """
    path = check_page(out)
    opened = find_dataset(dataset)
    require(opened.record, "has_seeds")
    if results:
        config = results[0].dataset.config
    data = open_config(opened, config)
    scored = scored_dataset(data, results) if results else ScoredDataset(data, dataset_record(data), ())
    compared = aligned(results, common_seeds=common_seeds)
    named = results_by_name(compared)
    shows_text = with_text or may_be_shared(opened.record)
    script = combined_script([_asset("explorer.js")])
    definitions = [f"{name}: {DEFINITIONS[name]}." for name in SCORES]
    with step("writing the page", len(results), "models"):
        page = page_template(_asset("index.html.jinja")).render(
            title=scored.record.title,
            models=[model.name for model in scored.models],
            finding=standings(named, significance).finding,
            definitions=definitions,
            data=packed(scored, named, with_text=shows_text, corpus=corpus),
            policy=content_policy([script]),
            style=f"{shared_style()}\n{_asset('explorer.css')}",
            script=script,
        )
    write_text(path, page)
    return path


def _asset(name: str) -> str:
    return asset("merge_snli.explorer", "page", name)
