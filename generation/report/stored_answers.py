"""Read the stored answers of a finished run, apply its filters again, and trace fillers through them."""

from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from generation.answers.store import MaskedLMAnswers, Store, load_answers, recorded_cache_keys
from generation.filters.definitions import FILTERS
from generation.filters.fillers import KEPT, OUTCOMES
from generation.masked_lms.loading import find_masked_lms, load_vocabulary
from generation.masked_lms.masked_lm import Fillers
from generation.options import Options, options_of_run
from generation.replacements.finding import FilteredForm, FilteredWord, filter_words
from generation.report.inventory import TAGGED, inventory
from generation.run import find_wordnet
from generation.sentences.forms import match_case
from generation.sentences.tagged_shards import ProblemWords, distinct_forms, read_tagged
from generation.sentences.tagging import InPlaceTagger
from generation.work import read_description
from merge_snli.base.errors import InputError, param
from merge_snli.dataset.record import generation_of
from merge_snli.dataset.stored import MergeDataset
from merge_snli.models.tagger import Tagger, find_tagger, other_tagger

AnswersTo = Callable[[ProblemWords], dict[str, MaskedLMAnswers]]


def _or_again(dataset: MergeDataset) -> str:
    return (
        f"or compute them again with merge-snli generate --options {dataset.folder / 'run.toml'} --out another-folder"
    )


def check_work(dataset: MergeDataset, work: Path, option: str) -> None:
    """Check that a work folder has answers of a run.

    Args:
        dataset: The data set of the run.
        work: The folder.
        option: The option that names it, for the message.
    """
    if not any(key.folder(work).is_dir() for key in recorded_cache_keys(dataset.record)):
        problem = "does not contain answers of its masked LMs" if work.is_dir() else "is not a folder"
        raise InputError(
            f"{work} {problem}: name the work folder of the run of {dataset.folder} with {param(option)}, "
            f"{_or_again(dataset)}"
        )


# Outcomes of fillers that a filter saw as a word in the case pattern of the original.
WORDS = {KEPT, *(filter_.reason for filter_ in FILTERS if filter_.on_word or filter_.on_tag or filter_.on_parse)}


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

    def missing(name: str, _: int = 0) -> InputError:
        return InputError(
            f"{work} does not contain all answers of {name}: pass the work folder of the run, {_or_again(dataset)}"
        )

    opened = {}
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
                raise missing(key.masked_lm)
            store = stack.enter_context(Store(work, key))
            opened[key.masked_lm] = store, load_vocabulary(mlm, size, options.language)
        yield lambda problems: load_answers(opened, distinct_forms(problems, options.mask), missing)


def filter_again(
    dataset: MergeDataset, work: Path, *, ids: Collection[str] | None = None
) -> Iterator[tuple[list[FilteredWord], dict[str, MaskedLMAnswers]]]:
    """Apply the filters of a run to its suggestions again, before sets are formed.

    Args:
        dataset: The data set of the run.
        work: The work folder of the run.
        ids: Ids of the problems to filter; None for all.

    Yields:
        For each shard of problems, its shared words after the filters, and the answers that were filtered, by masked
        LM.
    """
    options = options_of_run(dataset.record.options)
    tagger, wordnet = InPlaceTagger(tagger_of_run(dataset, options)), find_wordnet(options)
    stored = inventory(work, dataset.record) if work.is_dir() else []
    shards = [path for entry in stored if entry.kind == TAGGED and entry.needed for path in entry.paths]
    if not shards:
        raise InputError(
            f"{work} does not contain the problems of {dataset.folder}: pass the work folder of the run, "
            f"{_or_again(dataset)}"
        )
    with stored_answers(dataset, options, work) as answers_to:
        for shard in shards:
            problems = [
                (tagged, words)
                for tagged, words in read_tagged(shard, options.classes)
                if ids is None or tagged.problem.id in ids
            ]
            answers = answers_to(problems)
            yield filter_words(problems, answers, tagger, options, wordnet=wordnet), answers


def tagger_of_run(dataset: MergeDataset, options: Options) -> Tagger:
    """Return the tagger of a run, which must be the version that the run used."""
    tagger = find_tagger(options.tagger, language=options.language, parser=options.same_parse)
    message = other_tagger(tagger, generation_of(dataset.record).tagger)
    if message is not None:
        raise InputError(f"{message}: install that version")
    return tagger


@dataclass(frozen=True)
class Filler:
    """One filler of a form.

    Attributes:
        word: The word in the case pattern of the original if it became a suggestion, else the text of the piece.
        log_odds: log p(word) - log p(original).
        dropped: Why it was dropped, the reason of a filter; None if it is kept.
    """

    word: str
    log_odds: float
    dropped: str | None


def trace_form(filtered: FilteredForm, answers: MaskedLMAnswers) -> list[Filler]:
    """Return the fillers of a form in order of decreasing probability, each with its outcome.

    Args:
        filtered: The form with the outcome of the filters.
        answers: The answers of the form's masked LM.
    """
    answer, outcome = answers.answers[filtered.form.key], filtered.outcome
    fillers = []
    if isinstance(answer, Fillers) and not isinstance(outcome, str):
        for piece_id, log_prob, code in zip(answer.piece_ids, answer.log_probs, outcome.codes, strict=True):
            reason, text = OUTCOMES[code], answers.vocabulary.text(piece_id)
            written = match_case(filtered.occurrence.word.text, text) if reason in WORDS else text
            log_odds = float(log_prob) - answer.original_log_prob
            fillers.append(Filler(written, log_odds, None if reason == KEPT else reason))
    return fillers
