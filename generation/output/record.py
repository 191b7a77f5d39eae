"""Build the record of a run: its inputs, its environment, and its counts."""

import platform
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from generation.filters.definitions import applied_filters
from generation.options import FILTER_NAMES, UNION, Options
from generation.output.write_data import GROUP_COLUMN
from generation.replacements.counts import sum_of_tables
from generation.run import RunInputs
from generation.sentences.tagging import TaggedProblem
from generation.sentences.words import LEFT_OUT, SharedWord
from generation.variant_shards import VariantShard
from generation.work import read_shard
from merge_snli.base import __version__
from merge_snli.dataset.record import (
    ConfigRecord,
    DataRecord,
    FilterRecord,
    GenerationRecord,
    Record,
    TermsRecord,
    WordCounts,
)
from merge_snli.problems.known_datasets import known_dataset
from merge_snli.schema import WORD_CLASSES

# Libraries whose versions are recorded.
LIBRARIES = ("datasets", "numpy", "pyarrow", "spacy", "tokenizers", "torch", "transformers")

COMMAND = "generate"
# The license of the bundled problems.
BUNDLED_LICENSE = "apache-2.0"


def make_record(
    inputs: RunInputs,
    device: str,
    words: Mapping[str, WordCounts],
    results: Sequence[VariantShard],
    configs: dict[str, ConfigRecord],
    data: DataRecord,
    load_name: str,
) -> Record:
    """Return the record of a run, without the digests of card and record.

    Args:
        inputs: Everything that its rows depend on.
        device: The kind of device that the masked LMs ran on.
        words: Shared words by word class, from `count_words`.
        results: The results of each shard, with the counts of the filters.
        configs: The configs.
        data: The data files.
        load_name: The name of the folder in the examples of the card.
    """
    options = inputs.options
    versions = {"merge_snli": __version__, "python": platform.python_version()}
    of_filters = (applied.filter.library for applied in applied_filters(options))
    libraries = (*LIBRARIES, *(name for name in of_filters if name is not None))
    return Record(
        command=COMMAND,
        **inputs.of_record(),
        group_column=GROUP_COLUMN,
        draws=options.subsamples,
        anchors=True,
        title=title_of(options),
        load_name=load_name,
        terms=terms_of(options),
        versions=versions | {name: version(name) for name in libraries},
        configs=configs,
        generation=GenerationRecord(
            **inputs.of_generation(),
            device=device,
            words=dict(words),
            filters=_filter_records(result.filter_counts for result in results),
            standalone_filters=_filter_records(result.standalone_counts for result in results),
        ),
        data=data,
    )


def _filter_records(files: Iterable[Path]) -> tuple[FilterRecord, ...]:
    """Add up the counts of all shards."""
    counts = sum_of_tables(map(read_shard, files))
    return tuple(FilterRecord(*group, dict(of_group)) for group, of_group in counts.items())


def title_of(options: Options) -> str:
    """Return the title of a data set: that of the options, else one from the problems, such as `MERGE on SNLI (test)`.

    Of a path, only the last part is used, so that the title can be published.
    """
    if options.title is not None:
        return options.title
    if options.problems.are_bundled:
        problems = "its bundled problems"
    elif options.problems.were_in_memory:
        problems = "problems in memory"
    elif options.problems.are_files:
        problems = options.problems.stems
    else:
        path, known = Path(str(options.problems)), known_dataset(str(options.problems), options.config)
        name = known.attribution.partition(":")[0] if known else path.resolve().name if path.is_dir() else str(path)
        problems = name if options.split is None else f"{name} ({options.split})"
    filters = f"filter {' '.join(options.filters)} only" if options.filters else "no filters"
    changes = {
        "scrambled": options.scramble,
        filters: len(options.filters) < len(FILTER_NAMES),
        "union": options.sides == UNION,
    }
    return ", ".join([f"MERGE on {problems}", *(name for name, applies in changes.items() if applies)])


def terms_of(options: Options) -> TermsRecord:
    """Return the license and attribution of the problems, as far as they are known.

    Args:
        options: `problems` and `license` are read; `license` overrides that of a known data set.
    """
    if options.problems.are_bundled:
        return TermsRecord(BUNDLED_LICENSE, None)
    known = known_dataset(str(options.problems), options.config)
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
