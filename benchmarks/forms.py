"""Collect the forms of a problem file."""

from __future__ import annotations

from generation.filters.definitions import IN_PROBLEM, LESS_PROBABLE, NO_WORD, SAME_WORD
from generation.filters.fillers import LogOdds, filter_fillers
from generation.filters.filter import Applied, Occurrence
from generation.masked_lms.masked_lm import Fillers
from generation.masked_lms.vocabulary import Vocabulary
from generation.sentences.forms import PREMISE, Form
from generation.sentences.tagged_shards import replaced_words
from generation.sentences.tagging import TaggedProblem, TaggedSentence, tag
from generation.sentences.words import SharedWord, forms_of_word, shared_words
from merge_snli.models.tagger import find_tagger
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.problem import Problem
from merge_snli.problems.reading import read_problems
from merge_snli.schema import DEFAULT_CLASSES


def forms_of(problems: str, limit: int | None) -> dict[str, Form]:
    """Return the distinct forms of the first `limit` problems by key, in the order of the problems."""
    return {
        form.key: form
        for tagged in tag(read_problems(ProblemOptions(problems=problems, limit=limit)).problems, find_tagger())
        for word in replaced_words(shared_words(tagged), DEFAULT_CLASSES)
        for _, form in forms_of_word(tagged, word)
    }


def suggestions_of(form: Form, answer: Fillers, vocabulary: Vocabulary) -> LogOdds:
    """Return the fillers of a form that the filters without tagger keep, as if its problem had no other words."""
    sentence = TaggedSentence(form.text, ())
    tagged = TaggedProblem(Problem("", form.text, form.text, 0), sentence, sentence)
    word = SharedWord(form.original, "noun", (form.start,), (form.start,))
    occurrence = Occurrence(tagged, word, frozenset(), PREMISE, form.start, form.end)
    filters = [Applied(filter_, True) for filter_ in (NO_WORD, LESS_PROBABLE, IN_PROBLEM, SAME_WORD)]
    return filter_fillers(answer, vocabulary, occurrence, filters).suggestions
