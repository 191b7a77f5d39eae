"""Analyze results: match them to their data sets, run the analyses of section 5, and write the report."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from merge_snli.answers.data import ScoredData
from merge_snli.answers.part import disagreeing
from merge_snli.base.errors import InputError, explained
from merge_snli.base.progress import Progress
from merge_snli.comparison.corpus import CorpusCounts, count_corpus, open_corpus, tagger_of
from merge_snli.comparison.findings import and_list
from merge_snli.comparison.scored_dataset import ScoredDataset, scored_dataset
from merge_snli.comparison.scored_dataset import without_seeds as leave_out_seeds
from merge_snli.comparison.testing import Significance
from merge_snli.dataset.record import generation_of
from merge_snli.dataset.stored import MergeDataset, as_datasets
from merge_snli.paper.fine_tuned import check_counterparts
from merge_snli.paper.report.report import Report, make_report
from merge_snli.paper.report.sections import Settings
from merge_snli.paper.report.write import check_report_folder, write_report
from merge_snli.results.grouping import comparable_results, config_rank, is_two_way, missing_groups, results_by_name
from merge_snli.results.naming import file_name
from merge_snli.results.prompts import group_prompts, results_of
from merge_snli.results.result import Result
from merge_snli.results.store import as_results
from merge_snli.results.whole import find_whole

COLUMN = "seed_id"


def match_results(
    results: Iterable[Result], datasets: Sequence[MergeDataset], *, common_seeds: bool = False
) -> tuple[ScoredDataset, ...]:
    """Read every config of the data sets that has results.

    Args:
        results: Results in any order.
        datasets: The data sets.
        common_seeds: Whether to analyze all models, on the seeds that all of them have.

    Returns:
        One value per data set and config: data sets in their order, `all` before the word classes. Two-way models have
        a value of their own, after that of the other models. It has the models with all seeds that most models have,
        and names the others.

    Raises:
        InputError: If a result has no data set, a data set has no result, or a result does not fit its data set.
    """
    found = []
    used = []
    for group in comparable_results(results):
        data = _data_of(group, datasets)
        used.append(data.stored)
        position = datasets.index(data.stored), config_rank(data.config), is_two_way(group[0])
        found.append((position, _scored(group, data, common_seeds)))
    for dataset in datasets:
        if dataset not in used:
            raise InputError(
                f"no result was computed on ⟦dataset⟧ {dataset.name} (sha256 {dataset.digest[:12]}…): score a model on "
                "it with merge-snli score, or leave it out"
            )
    found.sort(key=lambda pair: pair[0])
    return tuple(scored for _, scored in found)


def _scored(group: Sequence[Result], data: ScoredData, common_seeds: bool) -> ScoredDataset:
    """Join the answers of the models that are compared, and name the others."""
    if common_seeds:
        return scored_dataset(data, group)
    models = group_prompts(group)
    compared: list[Result] = []
    apart = {}
    for name, model, missing in zip(results_by_name(models), models, missing_groups(models), strict=True):
        if missing is None:
            compared += results_of(model)
        else:
            apart[name] = missing
            scored_dataset(data, results_of(model))  # checks that it is on this data
    return replace(scored_dataset(data, compared), apart=apart)


def _data_of(group: Sequence[Result], datasets: Sequence[MergeDataset]) -> ScoredData:
    """Open the data of some results."""
    record = group[0].dataset
    models = ", ".join(result.model.name for result in group)
    if record.partial is not None:
        raise InputError(
            f"results on a part of the data cannot be analyzed, and those of {models} are on a part of config "
            f"{record.config} of {record.name}: score them without a subsample and a limit of seeds, or remove "
            f"{and_list([file_name(result) for result in group])}"
        )
    data = find_whole(record, datasets)
    if data is None:
        raise InputError(
            f"the results of {models} are on {record.name} (sha256 {record.digest[:12]}…), which is not among the data "
            "sets: add its folder with ⟦dataset⟧, or remove these results"
        )
    return data


def read_seed_ids(path: Path) -> tuple[str, ...]:
    """Read a text file with one id per line, or a CSV file with a column `seed_id`, such as the report's Table 10.

    Raises:
        InputError: If the file cannot be read, has no id, or is a CSV file without the column.
    """
    file = f"⟦without_seeds⟧ {path}"
    with (
        explained(OSError, f"{file} cannot be read: ⟦reason⟧"),
        explained(UnicodeDecodeError, f"{file} is not UTF-8 text (⟦reason⟧): save it as UTF-8"),
    ):
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    ids = lines
    header = next(csv.reader(lines[:1]), [])
    if COLUMN in header:
        ids = [row[COLUMN] or "" for row in csv.DictReader(lines)]
    elif path.suffix.lower() == ".csv":
        raise InputError(f"{file} has no column {COLUMN}: add it, or give a text file with one seed id per line")
    unique = dict.fromkeys(map(str.strip, ids))
    unique.pop("", None)
    if not unique:
        raise InputError(f"{file} has no seed id")
    return tuple(unique)


def check_seed_ids(ids: Iterable[str], data: Sequence[ScoredDataset]) -> None:
    """Check that every id is that of a seed.

    Args:
        ids: The ids.
        data: The data sets of a report.

    Raises:
        InputError: If none of the data sets has a seed with one of the ids.
    """
    unknown = sorted({*ids}.difference(*(scored.ids for scored in data)))
    if unknown:
        raise InputError(f"⟦without_seeds⟧ has {', '.join(unknown)}, which no data set has as seeds: remove them")


def analyze(
    results: str | Path | Result | Sequence[Result | str | Path],
    datasets: str | Path | MergeDataset | Sequence[MergeDataset | str | Path],
    *,
    fine_tuned_from: Mapping[str, str] | None = None,
    corpus: str | None = None,
    without_seeds: Sequence[str] = (),
    min_agreement: float | None = None,
    test: str = "permutation",
    alpha: float = 0.05,
    common_seeds: bool = False,
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> Report:
    """Run the analyses of section 5 of the paper.

    Args:
        results: Results, or results folders of `merge-snli score`.
        datasets: The data sets that the models were scored on: folders or Hub ids.
        fine_tuned_from: Masked LM of the architecture and size of an NLI model, by name of the model, besides the
            paper's.
        corpus: Training data of the models, in which words are counted: a `.txt` file, or NLI problems as `generate`
            reads them.
        without_seeds: Ids of seeds that are mislabeled; every analysis runs again without them.
        min_agreement: Smallest share of annotators who gave the gold label; other seeds are left out everywhere.
        test: How models are tested in Table 3, as in `merge_snli.compare`.
        alpha: Family-wise significance level of these tests.
        common_seeds: Whether to analyze all models, on the seeds that all of them have. By default, models that lack
            seeds that most models have are named, and not analyzed.
        out: Folder for the report; if None, nothing is written.
        progress: Where to report the progress; by default nowhere.

    Returns:
        The values of all analyses; `as_dict()` gives them as JSON values.

    Raises:
        InputError: If results and data sets do not belong together, an option does not fit them, or `out` has other
            files or is not writable.
    """
    if out is not None:
        check_report_folder(out)
    progress = progress or Progress(quiet=True)
    counterparts = fine_tuned_from or {}
    significance = Significance(test, alpha)
    scored = match_results(as_results(results), as_datasets(datasets), common_seeds=common_seeds)
    if min_agreement is not None:
        scored = tuple(_agreed(dataset, min_agreement) for dataset in scored)
    check_counterparts(scored, counterparts)
    check_seed_ids(without_seeds, scored)
    corpora = {} if corpus is None else _corpora(corpus, scored)
    settings = Settings(fine_tuned_from=counterparts, corpora=corpora, significance=significance)
    report = make_report(scored, settings, progress, leave_out=tuple(without_seeds))
    if out is not None:
        write_report(report, Path(out), progress)
    return report


def _agreed(scored: ScoredDataset, min_agreement: float) -> ScoredDataset:
    """Return a data set without the seeds to which fewer annotators gave the gold label."""
    title = f"{scored.record.title} (agreement of at least {min_agreement:.3g})"
    agreed = leave_out_seeds(scored, disagreeing(scored.data, min_agreement))
    return replace(agreed, record=replace(scored.record, title=title))


def _corpora(name: str, scored: Sequence[ScoredDataset]) -> dict[str, CorpusCounts]:
    """Count the words of a corpus with the tokenizer of each tagger of the data sets, by digest of the tagger."""
    corpus = open_corpus(name)
    counts: dict[str, CorpusCounts] = {}
    for dataset in scored:
        record = dataset.data.stored.record
        if dataset.data.has_seeds:
            digest = generation_of(record).tagger.digest
            if digest not in counts:
                counts[digest] = count_corpus(corpus, tagger_of(record))
    return counts
