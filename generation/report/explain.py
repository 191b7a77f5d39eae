"""One problem's way through a run: its shared words, what was suggested for each, what dropped it, what stayed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from generation.options import Options, with_defaults
from generation.replacements.finding import find_replacements
from generation.replacements.relations import load_wordnet
from generation.report.stored_answers import stored_answers
from generation.report.trace import TracedForm, trace_word
from generation.sentences.forms import forms_of_word
from generation.sentences.tagged_shards import replaced_words
from generation.sentences.tagging import load_tagger, tag
from generation.sentences.tags_in_place import InPlaceTagger
from generation.sentences.words import shared_words
from merge_snli.dataset import read_split
from merge_snli.errors import InputError
from merge_snli.problems.reading import Problem, stream_problems, survey_problems
from merge_snli.problems.source import open_source
from merge_snli.schema import ALL, SEED

if TYPE_CHECKING:
    from pathlib import Path

    from generation.replacements.combine import Replacement
    from generation.sentences.tagging import TaggedProblem
    from generation.sentences.words import SharedWord
    from merge_snli.dataset import MergeDataset


@dataclass(frozen=True)
class ExplainedWord:
    """A shared word and what became of it.

    Attributes:
        word: The word; where it is left out or of a class that is not replaced, nothing was asked.
        forms: What each masked LM answered to each of its forms.
        replacements: What may replace it.
    """

    word: SharedWord
    forms: tuple[TracedForm, ...]
    replacements: tuple[Replacement, ...]


@dataclass(frozen=True)
class Explanation:
    """One problem's way.

    Attributes:
        problem: The problem.
        label: The name of its gold label.
        options: The choices of the run.
        words: Its shared words, those that are left out included.
        variants: By class, how many variants of it the data set has.
    """

    problem: Problem
    label: str
    options: Options
    words: tuple[ExplainedWord, ...]
    variants: dict[str, int]


def explain(source: MergeDataset, seed_id: str, work: Path) -> Explanation:
    """Follow one problem through a finished run, without asking a masked LM.

    Args:
        source: The data set of the run.
        seed_id: The problem's id: a seed's, or that of any problem of the source where that can still be read.
        work: The run's work folder.

    Raises:
        InputError: Where there is no such problem, or the tagger, the answers or the masked LMs are no longer those of
            the run.
    """
    options = Options(**with_defaults(source.record.options))
    problem = _find_problem(source, seed_id, options)
    tagger = load_tagger(options.tagger)
    if tagger.digest != source.record.tagger.digest:
        raise InputError(f"the tagger {tagger.name} is no longer the one of the run, {source.record.tagger.name}")
    (tagged,) = tag([problem], tagger)
    words = shared_words(tagged, ignore_case=options.ignore_case)
    explained = _explain_words(source, tagged, words, options, InPlaceTagger(tagger), work)
    labels = source.record.problems.label_names
    return Explanation(problem, labels[problem.label], options, explained, _variants(source, seed_id))


def _find_problem(source: MergeDataset, seed_id: str, options: Options) -> Problem:
    """Take a seed from the data set, and any other problem from the source."""
    for row in read_split(source, SEED).to_pylist():
        if row["seed_id"] == seed_id:
            return Problem(seed_id, row["premise"], row["hypothesis"], row["label"])
    try:
        problem_source = open_source(options)
        problems = stream_problems(problem_source, survey_problems(problem_source))
        found = next((problem for problem in problems if problem.id == seed_id), None)
    except InputError as error:
        raise InputError(
            f"{seed_id} is no seed of {source.folder}, and its problems cannot be read again: {error}"
        ) from error
    if found is None:
        raise InputError(
            f"{options.problems} has no problem {seed_id}; ids of seeds are in config seed of the data set"
        )
    return found


def _explain_words(
    source: MergeDataset,
    tagged: TaggedProblem,
    words: tuple[SharedWord, ...],
    options: Options,
    tagger: InPlaceTagger,
    work: Path,
) -> tuple[ExplainedWord, ...]:
    replaced = replaced_words(words, options.classes)
    keys = [form.key for word in replaced for _, _, form in forms_of_word(tagged, word, options.mask)]
    if not replaced:
        return tuple(ExplainedWord(word, (), ()) for word in words)
    asked = stored_answers(source, options, work, keys)
    wordnet = load_wordnet() if options.no_relations else None
    found, _ = find_replacements([(tagged, replaced)], asked, tagger, options, wordnet=wordnet)
    replacements = {each.word: each.replacements for each in found}
    return tuple(
        ExplainedWord(word, tuple(trace_word(tagged, word, asked, tagger, options, wordnet)), replacements[word])
        if word in replacements
        else ExplainedWord(word, (), ())
        for word in words
    )


def _variants(source: MergeDataset, seed_id: str) -> dict[str, int]:
    """Count the variants that the data set has of a problem, by word class."""
    table = read_split(source, ALL).select(["seed_id", "word_class"])
    classes = [row["word_class"] for row in table.to_pylist() if row["seed_id"] == seed_id]
    return {name: classes.count(name) for name in dict.fromkeys(classes)}
