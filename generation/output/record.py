"""What a run records of itself: what it was made from and with, and what was counted on the way."""

from __future__ import annotations

import platform
from collections import Counter
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from generation.sentences.whole_words import METHOD_VERSION
from generation.sentences.words import LEFT_OUT
from merge_snli import __version__
from merge_snli.problems.known_datasets import known_dataset
from merge_snli.schema import WORD_CLASSES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generation.options import Options
    from generation.replacements.finding import FilterCounts
    from generation.replacements.relations import WordNet
    from generation.seeds_from import Seeds
    from generation.sentences.tagging import TaggedProblem, Tagger
    from generation.sentences.words import SharedWord
    from merge_snli.inference.models import ResolvedModel
    from merge_snli.problems.reading import Survey

FORMAT = 1
"""Version of the record's own shape."""

LIBRARIES = ("datasets", "numpy", "pyarrow", "spacy", "tokenizers", "torch", "transformers")

DEPENDED_ON = ("method_version", "problems", "masked_lms", "tagger", "seeds", "wordnet")
"""Parts of the record, besides the options, that two runs must have in common to give the same data set."""

Json = dict[str, Any]


@dataclass(frozen=True)
class RunInputs:
    """All that the rows of a data set depend on.

    Attributes:
        options: The run's choices.
        problems: The problems, as a first look at their source found them.
        masked_lms: Where each masked LM was found, with its digest.
        tagger: The tagger, with its digest.
        seeds: The seeds of another data set, where the run is restricted to them.
        wordnet: What tells related words, where suggestions that are related to another word are dropped.
    """

    options: Options
    problems: Survey
    masked_lms: tuple[ResolvedModel, ...]
    tagger: Tagger
    seeds: Seeds | None = None
    wordnet: WordNet | None = None

    def as_dict(self) -> Json:
        """Return what two runs must have in common to give the same data set."""
        return {
            "method_version": METHOD_VERSION,
            "options": self.options.as_dict(),
            "problems": {
                "digest": self.problems.digest,
                "with_label": self.problems.with_label,
                "without_label": self.problems.without_label,
                "label_names": list(self.problems.label_names),
            },
            "masked_lms": [
                {"name": mlm.name, "revision": mlm.revision, "digest": mlm.digest} for mlm in self.masked_lms
            ],
            "tagger": {"name": self.tagger.name, "version": self.tagger.version, "digest": self.tagger.digest},
            **({} if self.seeds is None else {"seeds": {"digest": self.seeds.digest, "problems": len(self.seeds)}}),
            **(
                {}
                if self.wordnet is None
                else {"wordnet": {"version": self.wordnet.version, "digest": self.wordnet.digest}}
            ),
        }


@dataclass(frozen=True)
class Run:
    """A finished run, before its data is written.

    Attributes:
        sources: All that its rows depend on.
        device: What the masked LMs ran on.
        words: What `count_words` gave.
        filters: What each filter did, in their order.
        standalone: What each filter drops by itself.
    """

    sources: RunInputs
    device: str
    words: Json
    filters: FilterCounts
    standalone: FilterCounts

    def as_dict(self) -> Json:
        """Return the record without the data's own digests."""
        versions = {"merge_snli": __version__, "python": platform.python_version()}
        return {
            "format": FORMAT,
            **self.sources.as_dict(),
            "source": terms_of(self.sources.options),
            "versions": versions | {name: version(name) for name in LIBRARIES},
            "computed": {"device": self.device, "dtype": self.sources.options.dtype},
            "words": self.words,
            "filters": _count_rows(self.filters),
            "standalone_filters": _count_rows(self.standalone),
        }


def _count_rows(counts: FilterCounts) -> list[Json]:
    return [
        {"word_class": word_class, "masked_lm": mlm, "side": side, **dict(sorted(count.items()))}
        for (word_class, mlm, side), count in sorted(counts.items())
    ]


def terms_of(options: Options) -> Json:
    """Return the licence of the problems, None where nobody said one, and whom to name for them.

    Args:
        options: `problems` and `license` are read; what the user said comes before what is known.
    """
    known = known_dataset(options.problems)
    return {
        "licence": options.license or (known and known.licence),
        "attribution": known and known.attribution,
    }


def count_words(
    words: Sequence[tuple[TaggedProblem, Sequence[SharedWord]]], label_names: Sequence[str]
) -> dict[str, Json]:
    """Count the seed problems of each word class, in the shape of the paper's Table 4.

    Args:
        words: Tagged problems with their shared words, those left out included.
        label_names: Names of the labels in the order of their numbers.

    Returns:
        By word class: `problems` that share a word of it, `labels` of these, `words`, how many words each reason
        `left_out`, and `problems_after` and `words_after` these are left out.
    """
    return {name: _count_class(name, words, label_names) for name in WORD_CLASSES}


def add_word_counts(total: Json, more: Json) -> None:
    """Add the counts of one more shard, from `count_words`, to `total`, which may be empty."""
    for name, count in more.items():
        if isinstance(count, dict):
            add_word_counts(total.setdefault(name, {}), count)
        else:
            total[name] = total.get(name, 0) + count


def _count_class(
    name: str, words: Sequence[tuple[TaggedProblem, Sequence[SharedWord]]], label_names: Sequence[str]
) -> Json:
    sharing = [
        (tagged, [word for word in of_problem if word.word_class == name])
        for tagged, of_problem in words
        if any(word.word_class == name for word in of_problem)
    ]
    labels = Counter(label_names[tagged.problem.label] for tagged, _ in sharing)
    reasons = Counter(word.left_out for _, of_class in sharing for word in of_class)
    return {
        "problems": len(sharing),
        "labels": {label: labels[label] for label in label_names},
        "words": reasons.total(),
        "left_out": {reason: reasons[reason] for reason in LEFT_OUT},
        "problems_after": sum(any(word.left_out is None for word in of_class) for _, of_class in sharing),
        "words_after": reasons[None],
    }
