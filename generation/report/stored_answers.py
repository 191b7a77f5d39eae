"""Read the stored answers of a finished run, and apply its filters again."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, NamedTuple

from generation.answers.cache_key import recorded_cache_keys
from generation.answers.store import Store
from generation.filters.relations import load_wordnet
from generation.masked_lms.loading import find_masked_lms, load_vocabulary
from generation.options import Options, with_defaults
from generation.replacements.finding import MaskedLMAnswers, filter_words
from generation.sentences.forms import forms_of_word
from generation.sentences.tagged_shards import read_tagged
from generation.sentences.tags_in_place import InPlaceTagger
from generation.work.inventory import TAGGED, inventory
from merge_snli.base.errors import InputError, param
from merge_snli.dataset.record import generation_of
from merge_snli.models.tagger import find_tagger

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path
    from types import TracebackType

    from generation.replacements.finding import FilteredWord
    from merge_snli.dataset.stored import MergeDataset
    from merge_snli.models.tagger import Tagger


WORK_FOLDER = (
    f"name the work folder of its run with {param('work')}, or with {param('against_work')} if it is the second data "
    "set"
)


class StoredAnswers:
    """The answers of the masked LMs of a run, in its work folder."""

    def __init__(self, dataset: MergeDataset, options: Options, work: Path) -> None:
        """Open the answers.

        Args:
            dataset: The data set of the run.
            options: The options of the run.
            work: The work folder of the run.

        Raises:
            InputError: If the answers of a masked LM are missing, or its files have changed since the run.
        """
        self._dataset, self._work, self._stack = dataset, work, ExitStack()
        self._opened = {}
        # Only the digest and the tokenizer of the masked LM are read, so pickle weights are safe here.
        models = find_masked_lms(options.mlm, allow_pickle=True)
        for mlm, key in zip(models, recorded_cache_keys(dataset.record), strict=True):
            if mlm.digest != key.digest:
                raise InputError(
                    f"masked LM {key.masked_lm} has changed since the run (sha256 {mlm.digest[:12]} instead of "
                    f"{key.digest[:12]}): restore its files, or generate the data set again"
                )
            if not key.folder(work).is_dir():
                raise self._missing(key.masked_lm)
            store = self._stack.enter_context(Store(work, key))
            size = store.vocabulary_size()
            if size is None:
                raise self._missing(key.masked_lm)
            self._opened[key.masked_lm] = store, load_vocabulary(mlm, size)

    def __enter__(self) -> StoredAnswers:
        """Return the answers themselves."""
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        """Close the stores."""
        self._stack.close()

    def to_forms(self, keys: Iterable[str]) -> dict[str, MaskedLMAnswers]:
        """Return the answers to some forms, and the vocabulary, by masked LM.

        Raises:
            InputError: If an answer is missing.
        """
        forms = set(keys)
        found = {}
        for name, (store, vocabulary) in self._opened.items():
            answers = store.load(forms)
            if len(answers) < len(forms):
                raise self._missing(name)
            found[name] = MaskedLMAnswers(answers, vocabulary)
        return found

    def _missing(self, name: str) -> InputError:
        return InputError(
            f"{self._work} does not contain the answers of {name}: {WORK_FOLDER}, or compute them again with "
            f"merge-snli generate --options {self._dataset.folder / 'run.toml'} --out another-folder"
        )


class FilteredShard(NamedTuple):
    """The shared words of a shard of problems after the filters, and the answers that were filtered, by masked LM."""

    words: list[FilteredWord]
    answers: dict[str, MaskedLMAnswers]


def filter_again(dataset: MergeDataset, work: Path, *, ids: Collection[str] | None = None) -> Iterator[FilteredShard]:
    """Yield the suggestions of a run, shard by shard, as its filters left them before sets are formed.

    Args:
        dataset: The data set of the run.
        work: The work folder of the run.
        ids: Ids of the problems to filter; None for all.

    Raises:
        InputError: If the work folder lacks the problems or an answer, or the tagger or a masked LM has changed.
    """
    record = dataset.record
    options = Options(**with_defaults(record.options))
    tagger = InPlaceTagger(tagger_of_run(dataset, options))
    stored = inventory(work, record) if work.is_dir() else []
    shards = [path for each in stored if each.kind == TAGGED and each.needed for path in each.paths]
    if not shards:
        raise InputError(f"{work} does not contain the problems of {dataset.folder}: {WORK_FOLDER}")
    wordnet = load_wordnet() if options.no_relations else None
    with StoredAnswers(dataset, options, work) as opened:
        for shard in shards:
            problems = [
                (tagged, words)
                for tagged, words in read_tagged(shard, options.classes)
                if ids is None or tagged.problem.id in ids
            ]
            answers = opened.to_forms(
                form.key
                for tagged, words in problems
                for word in words
                for _, _, form in forms_of_word(tagged, word, options.mask)
            )
            yield FilteredShard(filter_words(problems, answers, tagger, options, wordnet=wordnet), answers)


def tagger_of_run(dataset: MergeDataset, options: Options) -> Tagger:
    """Return the tagger of a run.

    Raises:
        InputError: If the installed one is another version.
    """
    tagger, recorded = find_tagger(options.tagger), generation_of(dataset.record).tagger
    if tagger.digest != recorded.digest:
        raise InputError(
            f"tagger {tagger.name} {tagger.version} is not the one of the run, {recorded.name} {recorded.version} "
            f"(sha256 {recorded.digest[:12]}): install that version"
        )
    return tagger
