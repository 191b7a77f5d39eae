"""Write the page of the explorer: one HTML file that works offline, with its data packed into it."""

from collections.abc import Sequence
from pathlib import Path

from merge_snli.analysis.corpus import CorpusCounts
from merge_snli.analysis.html_page import asset, combined_script, content_policy, shared_style, template
from merge_snli.analysis.scored_dataset import NotComputable, read_scored_dataset
from merge_snli.base.errors import InputError
from merge_snli.base.files import write_text
from merge_snli.card.metadata import may_be_shared
from merge_snli.dataset.folders import check_out
from merge_snli.dataset.stored import MergeDataset
from merge_snli.explorer.payload import packed
from merge_snli.scoring.results.result import Result

PAGE = "index.html"


def write_explorer(
    results: Sequence[Result],
    dataset: MergeDataset,
    out: str | Path,
    *,
    with_text: bool = False,
    corpus: CorpusCounts | None = None,
) -> Path:
    """Write a page with every seed, variant and answer.

    Args:
        results: Results on one config of the data set, at least one.
        dataset: The data set.
        out: Output folder.
        with_text: Whether to include the sentences although their license may forbid to share them.
        corpus: Counts of the words of training data, to show with the replacements.

    Returns:
        Path of the page.

    Raises:
        InputError: If a result does not fit the data set, the data has no seeds, or `out` is not writable.
    """
    path = check_out(out) / PAGE
    scored = read_scored_dataset(dataset, results)
    shown = with_text or may_be_shared(dataset.record)
    try:
        data = packed(scored, with_text=shown, corpus=corpus)
    except NotComputable as reason:
        raise InputError(str(reason)) from reason
    script = combined_script([asset("merge_snli.explorer", "page", "explorer.js")])
    page = template(asset("merge_snli.explorer", "page", "index.html.jinja")).render(
        title=scored.record.title,
        models=[model.name for model in scored.models],
        data=data,
        policy=content_policy([script]),
        style=f"{shared_style()}\n{asset('merge_snli.explorer', 'page', 'explorer.css')}",
        script=script,
    )
    write_text(path, page)
    return path
