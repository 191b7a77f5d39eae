"""Explain the variants of one problem: trace the fillers of its words through the filters of a finished run."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pyarrow.compute as pc

from generation.answers.store import MaskedLMAnswers
from generation.filters.definitions import FILTERS
from generation.filters.fillers import KEPT, OUTCOMES
from generation.masked_lms.masked_lm import Fillers
from generation.masked_lms.vocabulary import CONTINUATION
from generation.options import Options, options_of_run
from generation.replacements.finding import FilteredForm, FilteredWord, combine, filter_words
from generation.replacements.judged import drop_by_judgments
from generation.report.read_again import same_tagger, stored_answers
from generation.run_inputs import find_wordnet
from generation.sentences.forms import match_case
from generation.sentences.tagged_shards import replaced_words
from generation.sentences.tagging import InPlaceTagger, tag
from generation.sentences.words import shared_words
from merge_snli.base.batches import grouped
from merge_snli.base.errors import InputError
from merge_snli.base.files import JsonObject
from merge_snli.base.table import count
from merge_snli.dataset.judgments import judgments_of_run
from merge_snli.dataset.record import generation_of, require
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.dataset.texts import TextNames
from merge_snli.problems.problem import Problem
from merge_snli.problems.reading import stream_problems, survey_problems
from merge_snli.problems.source import open_source
from merge_snli.schema import ALL, SEED

# Outcomes of fillers that a filter saw as a word in the case pattern of the original.
WORDS = {KEPT, *(filter_.reason for filter_ in FILTERS if filter_.on_word or filter_.on_tag or filter_.on_parse)}

TEMPLATE = Path(__file__).with_name("explanation.txt.jinja")
# Number of words shown for each reason to drop a filler.
EXAMPLES = 8


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
    answer = answers.answers[filtered.form.key]
    if not isinstance(answer, Fillers):
        return []
    vocabulary = answers.vocabulary
    fillers = []
    for piece_id, log_prob, code in zip(answer.piece_ids, answer.log_probs, filtered.outcome.codes, strict=True):
        reason = OUTCOMES[code]
        text = vocabulary.text(piece_id)
        if reason in WORDS:
            text = match_case(filtered.occurrence.word.text, text)
        elif vocabulary.kinds[piece_id] == CONTINUATION:
            text = f"##{text}"  # "girl" may be a word as well
        dropped = None if reason == KEPT else reason
        fillers.append(Filler(text, float(log_prob) - answer.original_log_prob, dropped))
    return fillers


@dataclass(frozen=True)
class Explanation:
    """How the variants of one problem were selected.

    Attributes:
        problem: The problem.
        label: The name of its gold label.
        texts: What its two texts are called.
        options: The options of the run.
        words: Its shared words with their replacements; those that are not replaced have no forms.
        answers: The answers to the forms, by masked LM.
        variants: The number of its variants in the data set, by word class.
    """

    problem: Problem
    label: str
    texts: TextNames
    options: Options
    words: tuple[FilteredWord, ...]
    answers: Mapping[str, MaskedLMAnswers]
    variants: dict[str, int]

    def fillers(self, form: FilteredForm) -> list[Filler]:
        """Return the fillers of a form, each with its outcome."""
        return trace_form(form, self.answers[form.masked_lm])

    def as_dict(self) -> JsonObject:
        """Return the explanation with every filler as JSON values."""
        words = [self._word(filtered) for filtered in self.words]
        return {**asdict(self.problem), "label": self.label, "variants": self.variants, "words": words}

    def _word(self, filtered: FilteredWord) -> JsonObject:
        return {
            "word": asdict(filtered.word),
            "forms": [self._form(form) for form in filtered.forms],
            "replacements": list(map(asdict, filtered.replacements)),
            "dropped": _dropped(filtered),
        }

    def _form(self, form: FilteredForm) -> JsonObject:
        return {
            "masked_lm": form.masked_lm,
            "side": form.side,
            "start": form.form.start,
            "refused": form.refused,
            "in_window": form.in_window,
            "fillers": list(map(asdict, self.fillers(form))),
        }


def _dropped(word: FilteredWord) -> dict[str, dict[str, list[str]]]:
    """Return by reason and by sentence the words that were dropped after they had been validated."""
    dropped: dict[str, dict[str, list[str]]] = {}
    for each in word.dropped:
        dropped.setdefault(each.reason, {}).setdefault(each.side, []).append(each.word)
    return dropped


def explain(dataset: MergeDataset, seed_id: str, work: Path, tagger: str | None = None) -> Explanation:
    """Trace one problem through a finished run, from the stored answers of its masked LMs.

    Args:
        dataset: The data set of the run.
        seed_id: The id of a seed, or of any problem of the run if its problems can still be read.
        work: The work folder of the run.
        tagger: The folder of the tagger of the run, if it is not an installed package.
    """
    record = dataset.record
    require(record, "generation")
    options = options_of_run(record.options)
    problem = _find_problem(dataset, seed_id, options)
    of_run = same_tagger(dataset, tagger)
    (tagged,) = tag([problem], of_run)
    shared = shared_words(tagged, ignore_case=options.ignore_case)
    words = {word: FilteredWord(tagged, word, frozenset(), ()) for word in shared}
    answers: dict[str, MaskedLMAnswers] = {}
    replaced = replaced_words(shared, options.classes)
    if replaced:
        problems = [(tagged, replaced)]
        with stored_answers(dataset, options, work) as answers_to:
            answers = answers_to(problems)
        for word in filter_words(problems, answers, InPlaceTagger(of_run), options, wordnet=find_wordnet(options)):
            words[word.word] = combine(word, options)
        if generation_of(record).judgments is not None:
            judged = drop_by_judgments([*words.values()], judgments_of_run(dataset), options)
            words = {word.word: word for word in judged}
    variants = read_split(dataset, ALL)
    classes = variants["word_class"].filter(pc.equal(variants["seed_id"], seed_id)).to_pylist()
    return Explanation(
        problem=problem,
        label=record.label_names[problem.label],
        texts=record.texts,
        options=options,
        words=tuple(words.values()),
        answers=answers,
        variants=dict(Counter(classes)),
    )


def _find_problem(dataset: MergeDataset, seed_id: str, options: Options) -> Problem:
    """Find a problem among the seeds of the data set, else among the problems of the run."""
    for row in read_split(dataset, SEED).to_pylist():
        if row["seed_id"] == seed_id:
            return Problem(seed_id, row["premise"], row["hypothesis"], row["label"])
    try:
        source = open_source(options)
        problems = stream_problems(source, survey_problems(source))
        problem = next((problem for problem in problems if problem.id == seed_id), None)
    except InputError as error:
        raise InputError(
            f"{seed_id!r} is not a seed of {dataset.folder}, and the problems of the run cannot be read: "
            f"{error.message.marked}"
        ) from error
    if problem is None:
        raise InputError(
            f"{options.problems} has no problem {seed_id!r}, as far as the run read it: ⟦list=True⟧ shows "
            "the ids of the seeds"
        )
    return problem


def explanation_text(explanation: Explanation) -> str:
    """Return an explanation as text: counts and examples of the dropped fillers, and all replacements."""
    from merge_snli.base.templates import text_template

    problem = explanation.problem
    texts = explanation.texts
    shown = {texts.first: problem.premise, texts.second: problem.hypothesis, "label": explanation.label}
    return text_template(TEMPLATE.read_text(encoding="utf-8")).render(
        explanation=explanation,
        options=explanation.options,
        texts=texts,
        shown=shown,
        width=max(map(len, shown)),
        most=EXAMPLES,
        by_reason=_by_reason,
        dropped=_dropped,
        count=count,
    )


def _by_reason(fillers: Sequence[Filler]) -> dict[str | None, list[str]]:
    """Return the dropped words by reason."""
    return grouped((filler.dropped, filler.word) for filler in fillers if filler.dropped is not None)
