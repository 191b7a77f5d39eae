"""The answers of a finished run, found again in its work folder."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from generation.answers.cache_key import recorded_cache_keys
from generation.answers.store import Store
from generation.masked_lms.loading import find_masked_lms, load_vocabulary
from generation.replacements.finding import MaskedLMAnswers
from merge_snli.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from generation.options import Options
    from merge_snli.dataset import MergeDataset


def stored_answers(
    source: MergeDataset, options: Options, work: Path, keys: Iterable[str]
) -> dict[str, MaskedLMAnswers]:
    """Return what the masked LMs of a run answered to some forms.

    Args:
        source: The data set of the run.
        options: Its choices.
        work: Its work folder.
        keys: The keys of the forms.

    Returns:
        By masked LM.

    Raises:
        InputError: Where the answers are gone, or a masked LM is no longer the one that gave them.
    """
    wanted = set(keys)
    found = {}
    # Of a masked LM whose weights are pickles these are not read here, only its digest and its tokenizer.
    for mlm, shelf in zip(
        find_masked_lms(options.mlm, allow_pickle=True), recorded_cache_keys(source.record), strict=True
    ):
        if mlm.digest != shelf.digest:
            raise InputError(f"the masked LM {shelf.masked_lm} is no longer the one that the run asked")
        if not shelf.folder(work).is_dir():
            raise _gone(shelf.masked_lm, work, source)
        with ExitStack() as stack:
            store = stack.enter_context(Store(work, shelf))
            answers, pieces = store.load(wanted), store.vocabulary_size()
        if pieces is None or len(answers) < len(wanted):
            raise _gone(shelf.masked_lm, work, source)
        found[shelf.masked_lm] = MaskedLMAnswers(answers, load_vocabulary(mlm, pieces))
    return found


def _gone(name: str, work: Path, source: MergeDataset) -> InputError:
    return InputError(
        f"the answers of {name} are not in {work}: name the run's work folder with --work, or make them again with "
        f"merge-snli generate --run-file {source.folder / 'run.toml'} --out another-folder"
    )
