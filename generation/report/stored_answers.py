"""Load the answers of a finished run from its work folder."""

from __future__ import annotations

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
    dataset: MergeDataset, options: Options, work: Path, keys: Iterable[str]
) -> dict[str, MaskedLMAnswers]:
    """Return the answers of the masked LMs of a run to some forms.

    Args:
        dataset: The data set of the run.
        options: The options of the run.
        work: The work folder of the run.
        keys: The keys of the forms.

    Returns:
        The answers and the vocabulary by masked LM.

    Raises:
        InputError: If an answer is missing, or the files of a masked LM have changed since the run.
    """
    forms = set(keys)
    found = {}
    # Only the digest and the tokenizer of the masked LM are read, so pickle weights are safe here.
    models = find_masked_lms(options.mlm, allow_pickle=True)
    for mlm, key in zip(models, recorded_cache_keys(dataset.record), strict=True):
        if mlm.digest != key.digest:
            raise InputError(
                f"masked LM {key.masked_lm} has changed since the run (sha256 {mlm.digest[:12]} instead of "
                f"{key.digest[:12]}): restore its files, or generate the data set again"
            )
        if not key.folder(work).is_dir():
            raise _missing(key.masked_lm, work, dataset)
        with Store(work, key) as store:
            answers, size = store.load(forms), store.vocabulary_size()
        if size is None or len(answers) < len(forms):
            raise _missing(key.masked_lm, work, dataset)
        found[key.masked_lm] = MaskedLMAnswers(answers, load_vocabulary(mlm, size))
    return found


def _missing(name: str, work: Path, dataset: MergeDataset) -> InputError:
    return InputError(
        f"{work} does not contain the answers of {name}: name the work folder of the run with --work, or compute them "
        f"again with merge-snli generate --run-file {dataset.folder / 'run.toml'} --out another-folder"
    )
