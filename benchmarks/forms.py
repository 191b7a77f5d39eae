"""Collect the forms of a problem file."""

from __future__ import annotations

from generation.sentences.forms import Form, forms_of_word
from generation.sentences.tagged_shards import replaced_words
from generation.sentences.tagging import tag
from generation.sentences.words import shared_words
from merge_snli.inference.tagger import find_tagger
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems
from merge_snli.schema import DEFAULT_CLASSES


def forms_of(problems: str, limit: int | None) -> dict[str, Form]:
    """Return the distinct forms of the first `limit` problems by key, in the order of the problems."""
    return {
        form.key: form
        for tagged in tag(read_problems(ProblemOptions(problems=problems, limit=limit)).problems, find_tagger())
        for word in replaced_words(shared_words(tagged), DEFAULT_CLASSES)
        for _, _, form in forms_of_word(tagged, word)
    }
