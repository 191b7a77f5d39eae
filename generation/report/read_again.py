"""Read the problems and answers of a finished run in its work folder again, and apply its filters to them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from generation.answers.store import MaskedLMAnswers, Store, load_answers, recorded_cache_keys
from generation.masked_lms.loading import find_masked_lms, load_vocabulary
from generation.options import Options, options_of_run
from generation.replacements.finding import FilteredWord, filter_words
from generation.report.inventory import TAGGED, inventory
from generation.run_inputs import find_wordnet
from generation.sentences.tagged_shards import ProblemWords, distinct_forms, read_tagged
from generation.sentences.tagging import InPlaceTagger
from generation.work import read_description
from merge_snli.base.errors import InputError
from merge_snli.dataset.stored import MergeDataset
from merge_snli.models.tagger import Tagger, tagger_of_run

AnswersTo = Callable[[ProblemWords], dict[str, MaskedLMAnswers]]


def _advice(dataset: MergeDataset) -> str:
    again = f"merge-snli generate --options {dataset.folder / 'run.toml'} --out another-folder"
    return f"name the work folder of the run of {dataset.folder} with ⟦work⟧, or compute them again with {again}"


def check_work(dataset: MergeDataset, work: Path) -> None:
    """Check that a work folder has answers of a run.

    Args:
        dataset: The data set of the run.
        work: The folder.
    """
    if not any(key.folder(work).is_dir() for key in recorded_cache_keys(dataset.record)):
        problem = "does not contain answers of its masked LMs" if work.is_dir() else "is not a folder"
        raise InputError(f"{work} {problem}: {_advice(dataset)}")


@contextmanager
def stored_answers(dataset: MergeDataset, options: Options, work: Path) -> Iterator[AnswersTo]:
    """Open the answers of the masked LMs of a run, in its work folder.

    Args:
        dataset: The data set of the run.
        options: The options of the run.
        work: The work folder of the run.

    Yields:
        A function that returns the answers to all forms of some words, and the vocabulary, by masked LM. It raises
        `InputError` if an answer is missing.
    """
    opened = {}
    advice = _advice(dataset)
    # Only the digest and the tokenizer of the masked LM are read, so pickle weights are safe here.
    models = find_masked_lms(options.mlm, allow_pickle=True)
    with ExitStack() as stack:
        for mlm, key in zip(models, recorded_cache_keys(dataset.record), strict=True):
            if mlm.digest != key.digest:
                raise InputError(
                    f"masked LM {key.masked_lm} has changed since the run (sha256 {mlm.digest[:12]} instead of "
                    f"{key.digest[:12]}): restore its files, or generate the data set again"
                )
            size = read_description(key.folder(work)).get("pieces")
            if size is None:
                raise InputError(f"{work} does not contain all answers of {key.masked_lm}: {advice}")
            store = stack.enter_context(Store(work, key))
            opened[key.masked_lm] = store, load_vocabulary(mlm, size, options.language)
        yield lambda problems: load_answers(opened, distinct_forms(problems, options.mask), advice)


def filter_again(dataset: MergeDataset, work: Path, tagger: str | None = None) -> Iterator[list[FilteredWord]]:
    """Apply the filters of a run to its suggestions again, before sets are formed.

    Args:
        dataset: The data set of the run.
        work: The work folder of the run.
        tagger: The folder of the tagger of the run, if it is not an installed package.

    Yields:
        For each shard of problems, its shared words after the filters.
    """
    options = options_of_run(dataset.record.options)
    in_place = InPlaceTagger(same_tagger(dataset, tagger))
    wordnet = find_wordnet(options)
    stored = inventory(work, dataset.record) if work.is_dir() else []
    shards: list[Path] = []
    for entry in stored:
        if entry.kind == TAGGED and entry.needed:
            shards += entry.paths
    if not shards:
        raise InputError(f"{work} does not contain the problems of {dataset.folder}: {_advice(dataset)}")
    with stored_answers(dataset, options, work) as answers_to:
        for shard in shards:
            problems = read_tagged(shard, options.classes)
            yield filter_words(problems, answers_to(problems), in_place, options, wordnet=wordnet)


def same_tagger(dataset: MergeDataset, name: str | None = None) -> Tagger:
    """Return the tagger of a run, which must be the version that the run used; see `tagger_of_run`."""
    tagger, message = tagger_of_run(dataset.record, name)
    if message is not None:
        raise InputError(f"{message}: install that version")
    return tagger
