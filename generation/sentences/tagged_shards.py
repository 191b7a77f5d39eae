"""Tagged shards: problems with their tagged sentences and shared words, cached as Arrow tables."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa

from generation.sentences.forms import Form
from generation.sentences.tagging import TaggedProblem, TaggedSentence, Token, tag
from generation.sentences.words import SharedWord, forms_of_word, shared_words
from generation.work import METHOD_VERSION, TAGGED_FOLDER, find_shard, read_shard, write_shard
from merge_snli.base.files import JsonObject, sha256_of_json
from merge_snli.languages.language import ENGLISH
from merge_snli.models.tagger import Tagger
from merge_snli.problems.problem import Problem

_NUMBER, _TEXT = pa.int32(), pa.string()
_STARTS = pa.list_(_NUMBER)
_TOKENS = pa.list_(pa.struct({"start": _NUMBER, "length": _NUMBER, "tag": _TEXT}))
_WORD = pa.struct({"text": _TEXT, "word_class": _TEXT, "premise": _STARTS, "hypothesis": _STARTS, "left_out": _TEXT})
# The columns of a problem, as the fields of `Problem`.
_PROBLEM = {"id": _TEXT, "premise": _TEXT, "hypothesis": _TEXT, "label": _NUMBER, "extra": pa.list_(_TEXT)}
SCHEMA = pa.schema({**_PROBLEM, "premise_tokens": _TOKENS, "hypothesis_tokens": _TOKENS, "words": pa.list_(_WORD)})
# All columns except the tokens, which only the filters need.
COLUMNS_WITHOUT_TOKENS = (*_PROBLEM, "words")

# In the metadata of a shard: the code of its language, if that is not English.
LANGUAGE = b"language"

# Few, so that a few thousand problems keep many workers busy.
PROBLEMS_PER_SHARD = 125

# Tagged problems with their shared words.
ProblemWords = list[tuple[TaggedProblem, tuple[SharedWord, ...]]]


def tag_shard(problems: Sequence[Problem], tagger: Tagger, work: Path, *, ignore_case: bool) -> Path:
    """Tag a shard of problems and find their shared words, unless the shard is cached.

    Args:
        problems: The problems of one shard.
        tagger: The tagger.
        work: The work folder.
        ignore_case: Ignore case when comparing words.

    Returns:
        The file of the shard.
    """
    key = _key(problems, tagger, ignore_case=ignore_case)
    cached = find_shard(work / TAGGED_FOLDER, key)
    if cached is not None:
        return cached
    rows = [_row(tagged, shared_words(tagged, ignore_case=ignore_case)) for tagged in tag(problems, tagger)]
    about = None if tagger.language == ENGLISH else {LANGUAGE: tagger.language}
    return write_shard(work / TAGGED_FOLDER, key, pa.Table.from_pylist(rows, SCHEMA.with_metadata(about)))


def read_words(shard: Path) -> ProblemWords:
    """Read the problems of a shard and all their shared words, without tokens.

    Args:
        shard: The file of the shard.
    """
    return list(_words(read_shard(shard, COLUMNS_WITHOUT_TOKENS)))


def read_tagged(shard: Path, classes: Sequence[str]) -> ProblemWords:
    """Read the problems of a shard that have a word to replace, with their tokens and the words to replace.

    Args:
        shard: The file of the shard.
        classes: The word classes to replace.
    """
    replaced = ((tagged, replaced_words(words, classes)) for tagged, words in _words(read_shard(shard)))
    return [(tagged, words) for tagged, words in replaced if words]


def forms_of_shard(shard: Path, classes: Sequence[str], mask: str) -> dict[str, Form]:
    """Return the distinct forms of the words to replace, by key.

    Args:
        shard: The file of the shard.
        classes: The word classes to replace.
        mask: What a form masks, see `generation.sentences.forms.forms`.
    """
    return distinct_forms(((tagged, replaced_words(words, classes)) for tagged, words in read_words(shard)), mask)


def distinct_forms(problems: Iterable[tuple[TaggedProblem, Sequence[SharedWord]]], mask: str) -> dict[str, Form]:
    """Return the distinct forms of shared words, by key.

    Args:
        problems: Tagged problems, each with some of its shared words.
        mask: What a form masks, see `generation.sentences.forms.forms`.
    """
    found = {}
    for tagged, words in problems:
        for word in words:
            for _, form in forms_of_word(tagged, word, mask):
                found[form.key] = form
    return found


def replaced_words(words: Sequence[SharedWord], classes: Sequence[str]) -> tuple[SharedWord, ...]:
    """Return the words to replace: those of the given classes that are not left out."""
    return tuple(word for word in words if word.word_class in classes and word.left_out is None)


def _key(problems: Sequence[Problem], tagger: Tagger, *, ignore_case: bool) -> str:
    contents = [
        [problem.id, problem.premise, problem.hypothesis, problem.label, *problem.extra] for problem in problems
    ]
    return sha256_of_json([contents, SCHEMA.names, tagger.digest, ignore_case, version("spacy"), METHOD_VERSION])[:32]


def _row(tagged: TaggedProblem, words: Sequence[SharedWord]) -> JsonObject:
    row = {name: getattr(tagged.problem, name) for name in _PROBLEM}
    row["premise_tokens"] = _token_rows(tagged.premise)
    row["hypothesis_tokens"] = _token_rows(tagged.hypothesis)
    row["words"] = [asdict(word) for word in words]
    return row


def _token_rows(sentence: TaggedSentence) -> list[JsonObject]:
    return [{"start": token.start, "length": len(token.text), "tag": token.tag} for token in sentence.tokens]


def _words(table: pa.Table) -> Iterator[tuple[TaggedProblem, tuple[SharedWord, ...]]]:
    language = (table.schema.metadata or {}).get(LANGUAGE, ENGLISH.encode()).decode()
    for row in table.to_pylist():
        problem = Problem(row["id"], row["premise"], row["hypothesis"], row["label"], tuple(row["extra"]))
        premise = _sentence(row["premise"], row.get("premise_tokens", ()))
        hypothesis = _sentence(row["hypothesis"], row.get("hypothesis_tokens", ()))
        words = tuple(map(_shared_word, row["words"]))
        yield TaggedProblem(problem, premise, hypothesis, language), words


def _shared_word(word: JsonObject) -> SharedWord:
    premise, hypothesis = tuple(word["premise"]), tuple(word["hypothesis"])
    return SharedWord(word["text"], word["word_class"], premise, hypothesis, word["left_out"])


def _sentence(text: str, tokens: Sequence[JsonObject]) -> TaggedSentence:
    found = []
    for token in tokens:
        start, end = token["start"], token["start"] + token["length"]
        found.append(Token(text[start:end], start, token["tag"]))
    return TaggedSentence(text, tuple(found))
