"""Build the record of a run: its inputs, its environment, and its counts."""

from __future__ import annotations

import platform
from collections import Counter
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generation.filters.definitions import applied_filters
from generation.method_version import METHOD_VERSION
from generation.options import FILTER_NAMES, UNION
from generation.replacements.counts import by_side
from generation.sentences.words import LEFT_OUT
from merge_snli import __version__
from merge_snli.embedded import PREFIX
from merge_snli.problems.file_names import names_files, title_of_files
from merge_snli.problems.known_datasets import known_dataset
from merge_snli.problems.memory_rows import MEMORY
from merge_snli.record import (
    FilterRecord,
    Inputs,
    ModelRecord,
    ProblemsRecord,
    Record,
    SeedsRecord,
    TaggerRecord,
    TermsRecord,
    WordCounts,
    WordNetRecord,
)
from merge_snli.schema import WORD_CLASSES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generation.filters.relations import WordNet
    from generation.options import Options
    from generation.replacements.counts import FilterCounts
    from generation.seeds_from import Seeds
    from generation.sentences.tagging import TaggedProblem
    from generation.sentences.words import SharedWord
    from merge_snli.inference.models import ResolvedModel
    from merge_snli.inference.tagger import Tagger
    from merge_snli.problems.reading import Survey
    from merge_snli.record import Composition, DataRecord

LIBRARIES = ("datasets", "numpy", "pyarrow", "spacy", "tokenizers", "torch", "transformers")
"""Libraries whose versions are recorded."""


@dataclass(frozen=True)
class RunInputs:
    """Everything that the rows of a data set depend on.

    Attributes:
        options: The options of the run.
        problems: What the first pass over the problems found.
        masked_lms: The masked LMs, resolved to files with a digest.
        tagger: The tagger.
        seeds: The seeds of another data set that the run is restricted to; None for no restriction.
        wordnet: WordNet, if suggestions related to other words are dropped; else None.
    """

    options: Options
    problems: Survey
    masked_lms: tuple[ResolvedModel, ...]
    tagger: Tagger
    seeds: Seeds | None = None
    wordnet: WordNet | None = None

    def to_record(self) -> Inputs:
        """Return the inputs as the record has them."""
        problems, tagger, seeds, wordnet = self.problems, self.tagger, self.seeds, self.wordnet
        return Inputs(
            method_version=METHOD_VERSION,
            options=self.options.as_dict(),
            problems=ProblemsRecord(
                problems.digest, problems.with_label, problems.without_label, tuple(problems.label_names)
            ),
            masked_lms=tuple(ModelRecord(mlm.name, mlm.revision, mlm.digest) for mlm in self.masked_lms),
            tagger=TaggerRecord(tagger.name, tagger.version, tagger.digest),
            seeds=None if seeds is None else SeedsRecord(seeds.digest, len(seeds)),
            wordnet=None if wordnet is None else WordNetRecord(wordnet.version, wordnet.digest),
        )


@dataclass(frozen=True)
class Run:
    """A finished run whose data is not written yet.

    Attributes:
        inputs: Everything that its rows depend on.
        device: The kind of device that the masked LMs ran on.
        words: Shared words by word class, from `count_words`.
        filters: What the filters dropped when applied in their order.
        standalone_filters: What each filter drops when it is the only one.
    """

    inputs: RunInputs
    device: str
    words: Mapping[str, WordCounts]
    filters: FilterCounts
    standalone_filters: FilterCounts

    def to_record(self, data: DataRecord, composition: dict[str, Composition]) -> Record:
        """Return the record of the run, without the digests of card and record.

        Args:
            data: The data files.
            composition: Seeds and variants by config.
        """
        versions = {"merge_snli": __version__, "python": platform.python_version()}
        of_filters = (each.filter.library for each in applied_filters(self.inputs.options))
        libraries = (*LIBRARIES, *(name for name in of_filters if name is not None))
        return Record(
            **vars(self.inputs.to_record()),
            title=title_of(self.inputs.options),
            terms=terms_of(self.inputs.options),
            versions=versions | {name: version(name) for name in libraries},
            device=self.device,
            words=dict(self.words),
            filters=_filter_records(self.filters),
            standalone_filters=_filter_records(self.standalone_filters),
            composition=composition,
            data=data,
            published=None,
            card="",
            digest="",
        )


def _filter_records(counts: FilterCounts) -> tuple[FilterRecord, ...]:
    return tuple(FilterRecord(*key, dict(count)) for key, count in by_side(counts).items())


def title_of(options: Options) -> str:
    """Return the title of a data set: that of the options, else one from the problems, such as `MERGE on SNLI (test)`.

    Of a path, only the last part is used, so that the title can be published.
    """
    if options.title is not None:
        return options.title
    path, known = Path(options.problems), known_dataset(options.problems)
    if options.problems.startswith(PREFIX):
        problems = "its bundled problems"
    elif options.problems.startswith(MEMORY):
        problems = "problems in memory"
    elif names_files(options.problems):
        problems = title_of_files(options.problems)
    else:
        name = known.attribution.partition(":")[0] if known else path.resolve().name if path.is_dir() else str(path)
        problems = name if options.split is None else f"{name} ({options.split})"
    changes = {
        "scrambled": options.scramble,
        "unfiltered": len(options.filters) < len(FILTER_NAMES),
        "union": options.sides == UNION,
    }
    return ", ".join([f"MERGE on {problems}", *(name for name, applies in changes.items() if applies)])


def terms_of(options: Options) -> TermsRecord:
    """Return the license and attribution of the problems, as far as they are known.

    Args:
        options: `problems` and `license` are read; `license` overrides that of a known data set.
    """
    known = known_dataset(options.problems)
    if known is None:
        return TermsRecord(options.license, None)
    return TermsRecord(options.license or known.license, known.attribution)


def count_words(
    words: Sequence[tuple[TaggedProblem, Sequence[SharedWord]]], label_names: Sequence[str]
) -> dict[str, WordCounts]:
    """Count the problems that share a word of each class (the paper's Table 4).

    Args:
        words: Tagged problems with their shared words, including those that cannot be replaced.
        label_names: Label names in the order of their numbers.
    """
    return {name: _count_class(name, words, label_names) for name in WORD_CLASSES}


def add_word_counts(total: Mapping[str, WordCounts], more: Mapping[str, WordCounts]) -> dict[str, WordCounts]:
    """Return the sum of two results of `count_words`; `total` may be empty."""
    return {name: _sum(total[name], counts) if name in total else counts for name, counts in more.items()}


def _sum(first: WordCounts, second: WordCounts) -> WordCounts:
    """Add each number, and each number in a mapping; both have the same keys."""
    added: dict[str, Any] = {
        name: {key: count + getattr(second, name)[key] for key, count in value.items()}
        if isinstance(value, dict)
        else value + getattr(second, name)
        for name, value in vars(first).items()
    }
    return WordCounts(**added)


def _count_class(
    name: str, words: Sequence[tuple[TaggedProblem, Sequence[SharedWord]]], label_names: Sequence[str]
) -> WordCounts:
    sharing = [
        (tagged, [word for word in of_problem if word.word_class == name])
        for tagged, of_problem in words
        if any(word.word_class == name for word in of_problem)
    ]
    labels = Counter(label_names[tagged.problem.label] for tagged, _ in sharing)
    reasons = Counter(word.left_out for _, of_class in sharing for word in of_class)
    return WordCounts(
        problems=len(sharing),
        labels={label: labels[label] for label in label_names},
        words=reasons.total(),
        left_out={reason: reasons[reason] for reason in LEFT_OUT},
        problems_after=sum(any(word.left_out is None for word in of_class) for _, of_class in sharing),
        words_after=reasons[None],
    )
