"""Analyze results: match them to their data sets, run the analyses of section 5, and write the report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.analysis.corpus.counts import count_corpus, tagger_of
from merge_snli.analysis.corpus.texts import open_corpus
from merge_snli.analysis.kin import check_counterparts
from merge_snli.analysis.report.matching import match_results
from merge_snli.analysis.report.report import make_report
from merge_snli.analysis.report.sections import Settings
from merge_snli.analysis.report.seed_ids import check_seed_ids
from merge_snli.analysis.report.write import check_report_folder, write_report
from merge_snli.base.progress import Progress
from merge_snli.dataset.record import generation_of
from merge_snli.dataset.stored import MergeDataset, find_dataset
from merge_snli.scoring.results.files import read_results, work_folder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from merge_snli.analysis.corpus.counts import CorpusCounts
    from merge_snli.analysis.report.report import Report
    from merge_snli.analysis.scored_dataset import ScoredDataset
    from merge_snli.scoring.results.result import Result


def analyze(
    results: Sequence[Result | str | Path],
    datasets: Sequence[MergeDataset | str | Path],
    *,
    kin: Mapping[str, str] | None = None,
    corpus: str | None = None,
    without_seeds: Sequence[str] = (),
    out: str | Path | None = None,
    progress: Progress | None = None,
) -> Report:
    """Run the analyses of section 5 of the paper.

    Args:
        results: Results, or results folders of `merge-snli score`.
        datasets: The data sets that the models were scored on: folders or Hub ids.
        kin: Masked LM from which an NLI model was fine-tuned, by name of the model, besides the paper's.
        corpus: Training data of the models, in which words are counted: a `.txt` file, or NLI problems as `generate`
            reads them. The counts are cached in `OUT.work`.
        without_seeds: Ids of seeds that are mislabeled; every analysis runs again without them.
        out: Folder for the report; if None, nothing is written.
        progress: Where to report the progress; by default nowhere.

    Returns:
        The values of all analyses; `as_dict()` gives them as JSON values.

    Raises:
        InputError: If results and data sets do not belong together, an option does not fit them, or `out` has other
            files or is not writable.
    """
    if out is not None:
        check_report_folder(Path(out))
    progress = progress or Progress(quiet=True)
    folders = [each for each in results if isinstance(each, str | Path)]
    values = [each for each in results if not isinstance(each, str | Path)]
    read = [result for folder in folders for result in read_results(folder)]
    opened = [each if isinstance(each, MergeDataset) else find_dataset(str(each)) for each in datasets]
    scored = match_results([*read, *values], opened)
    check_counterparts(scored, kin or {})
    check_seed_ids(without_seeds, scored)
    corpora = {} if corpus is None else _corpora(corpus, scored, None if out is None else work_folder(Path(out)))
    settings = Settings(kin=kin or {}, corpora=corpora)
    report = make_report(scored, settings, progress, leave_out=tuple(without_seeds))
    if out is not None:
        write_report(report, Path(out), progress)
    return report


def _corpora(name: str, scored: Sequence[ScoredDataset], work: Path | None) -> dict[str, CorpusCounts]:
    """Count the words of a corpus with the tokenizer of each tagger of the data sets, by digest of the tagger."""
    corpus = open_corpus(name)
    records = {
        generation_of(each.dataset.record).tagger.digest: each.dataset.record for each in scored if each.replacements
    }
    folder = None if work is None else work / "corpora"
    return {digest: count_corpus(corpus, tagger_of(record), folder) for digest, record in records.items()}
