"""The data set of a run: recognize a finished one, check that there are seeds, and write data, card and record."""

import logging
import platform
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from generation.filters.definitions import applied_filters
from generation.options import FILTER_NAMES, RUN_TOML, UNION, Options, with_defaults, write_run_file
from generation.output.write_data import GROUP_COLUMN, write_data
from generation.replacements.counts import sum_of_tables
from generation.replacements.judged import GOOD_VARIANT, NOT_GOOD, NOT_JUDGED
from generation.run import GenerationRun
from generation.run_inputs import RunInputs
from generation.variant_shards import VariantShard, judged_in
from generation.work import read_shard, work_folder_of
from merge_snli.base import __version__
from merge_snli.base.errors import InputError, Message, param
from merge_snli.base.files import JsonObject, disk_errors_as_input_errors, sha256_of_file, write_bytes
from merge_snli.base.table import count
from merge_snli.card import load_name_of
from merge_snli.card.dataset_folder import data_record, write_dataset
from merge_snli.dataset.answered_forms import (
    FORMS,
    NO_SUGGESTION,
    SPLIT,
    TOO_LONG,
    count_forms,
    shares_text,
)
from merge_snli.dataset.judgments import VariantJudgments
from merge_snli.dataset.record import FilterRecord, GenerationRecord, Record, TermsRecord, WordCounts, generation_of
from merge_snli.dataset.record_file import inputs_of
from merge_snli.dataset.stored import CARD_FILE, RUN_FILE, MergeDataset, find_dataset
from merge_snli.models.finding import kind_of
from merge_snli.models.runner import RUNNER, RUNNER_VERSION
from merge_snli.problems.known_datasets import known_dataset
from merge_snli.schema import ANNOTATION, TEST, data_file

logger = logging.getLogger(__name__)

# Libraries whose versions are recorded.
LIBRARIES = ("datasets", "numpy", "pyarrow", "spacy", "tokenizers", "torch", "transformers")

COMMAND = "generate"
# Below this number of seeds, a run says how to get more.
FEW_SEEDS = 10


def require_words(words: Mapping[str, WordCounts], options: Options) -> None:
    """Check that any word can be replaced.

    Args:
        words: Shared words of all problems, from `count_words`.
        options: Only `problems` and `classes` are read.
    """
    if not any(words[name].words_after for name in options.classes):
        raise InputError(
            f"the two texts share no {' or '.join(options.classes)} in any problem of {options.problems}: "
            "pass other problems or more ⟦classes⟧"
        )


def require_seeds(counts: pa.Table, options: Options, results: Sequence[VariantShard]) -> None:
    """Check that any problem has enough variants, and warn about classes in which none has.

    Args:
        counts: The number of variants of each problem and word class.
        options: Only `problems`, `classes`, `inflation` and `seeds_from` are read.
        results: What all shards gave; its counts of the filters say why there are few variants.
    """
    most = dict.fromkeys(options.classes, 0)
    for row in counts.group_by("word_class").aggregate([("variants", "max")]).to_pylist():
        most[row["word_class"]] = row["variants_max"]
    if max(most.values()) < options.inflation:
        raise _too_few_variants(max(most.values()), options, results)
    for name, number in most.items():
        if number < options.inflation:
            logger.warning(
                "skipping config %s: no problem has %d %s variants (maximum: %d)", name, options.inflation, name, number
            )
    lower = max(1, options.inflation // 2)
    seeds = _number_of_seeds(counts, options.inflation)
    more = _number_of_seeds(counts, lower)
    if options.seeds_from is None and seeds < FEW_SEEDS and more > seeds:
        text = f"few seeds: %d have %d variants in a word class; {param('inflation', lower)} gives %d"
        logger.warning(Message(text), seeds, options.inflation, more)


def _number_of_seeds(counts: pa.Table, inflation: int) -> int:
    """Return how many problems have enough variants in any word class for a degree of inflation."""
    return len(counts.filter(pc.greater_equal(counts["variants"], inflation))["seed_id"].unique())


def _too_few_variants(best: int, options: Options, results: Sequence[VariantShard]) -> InputError:
    """Return the error that no problem has enough variants, with the share of forms without any by their reasons."""
    reasons = []
    for name, counts in count_forms(_filter_records(result.filter_counts for result in results)).items():
        shares = {reason: counts[reason] / counts[FORMS] for reason in (TOO_LONG, SPLIT)}
        without = f"{100 * counts[NO_SUGGESTION] / counts[FORMS]:.0f} % without a suggestion"
        reasons.append(f"{name}: {shares_text(shares)}, {without}")
    few = f"no problem of {options.problems} has {options.inflation} variants in a word class"
    about = f"{few} (maximum: {best}; {'; '.join(reasons)})"
    example = f", such as {param('inflation', best)}" if best else ""
    return InputError(f"{about}: pass more problems or masked LMs, or a lower ⟦inflation⟧{example}")


def find_finished(out: Path, inputs: RunInputs, *, overwrite: bool) -> MergeDataset | None:
    """Return the data set in `out` if it is complete and was generated from the same inputs, else None.

    Args:
        out: The data set's folder.
        inputs: Everything that the rows depend on.
        overwrite: Whether a data set from other inputs may be replaced.
    """
    if not (out / RUN_FILE).is_file():
        return None
    dataset = find_dataset(str(out))
    if dataset.record.generation is None:
        difference = f"made by merge-snli {dataset.record.command}"
    else:
        expected = _comparable(inputs.as_json())
        recorded = _comparable(inputs_of(dataset.record))
        differing = [name for name in recorded | expected if recorded.get(name) != expected.get(name)]
        if not differing:
            return dataset if _is_complete(dataset) else None
        difference = f"that differs from this run in {', '.join(differing)}"
    if overwrite:
        return None
    raise InputError(
        f"⟦out⟧ {out} has a data set {difference}: pass another folder, or add ⟦overwrite=True⟧ to replace it"
    )


def _comparable(inputs: JsonObject) -> JsonObject:
    """Return what two runs share if they give the same data set: options by name, and digests of their inputs."""
    compared = with_defaults(inputs["options"])
    for name in ("problems", "mlm", "tagger", "device", "seeds_from", "judgments"):
        compared.pop(name, None)  # inputs have their digests
    compared |= inputs
    digests = [source["digest"] for source in inputs["sources"]]
    compared["problems"] = [*digests, inputs["problems"], inputs["label_names"]]
    return compared | dict.fromkeys(("options", "sources", "label_names"))


def _is_complete(dataset: MergeDataset) -> bool:
    is_judged = generation_of(dataset.record).judgments is not None  # scores that filter belong to the run
    digests = {**(dataset.record.files if is_judged else dataset.record.data.files), CARD_FILE: dataset.record.card}
    for name, digest in digests.items():
        path = dataset.folder / name
        if not path.is_file() or sha256_of_file(path) != digest:
            return False
    return True


def write_output(
    run: GenerationRun, words: Mapping[str, WordCounts], results: Sequence[VariantShard], standalone: Iterable[Path]
) -> MergeDataset:
    """Write data, card and record to `OUT.work/`, then move them to the data set's folder together.

    Args:
        run: The run.
        words: Shared words by word class.
        results: The results of each shard.
        standalone: Files with the counts of each filter when it is the only one.

    Returns:
        The data set.
    """
    inputs = run.inputs
    options = run.options
    out = run.out
    staged = work_folder_of(out) / "staged"
    with disk_errors_as_input_errors(out):
        shutil.rmtree(staged, ignore_errors=True)
        staged.mkdir(parents=True)
        variants = [result.variants for result in results]
        seeds = [result.seeds for result in results]
        configs = write_data(staged, variants, seeds, options, inputs.problems.label_names, threads=run.workers)
        generation = GenerationRecord(
            **inputs.of_generation(),
            device=kind_of(run.device),
            words=dict(words),
            filters=_filter_records(result.filter_counts for result in results),
            standalone_filters=_filter_records(standalone),
        )
        record = Record(
            command=COMMAND,
            **inputs.of_record(),
            group_column=GROUP_COLUMN,
            subsamples=options.subsamples,
            has_seeds=True,
            title=title_of(options),
            load_name=load_name_of(out),
            terms=terms_of(options),
            versions=_versions(options),
            configs=configs,
            generation=generation,
            data=data_record(staged, configs),
        )
        if inputs.judgments is not None:
            record = _with_judgments(record, inputs.judgments, judged_in(results), staged)
        return write_dataset(staged, out, record, {RUN_TOML: write_run_file(options).encode()})


def _with_judgments(
    record: Record, judgments: VariantJudgments, judged: Mapping[str, Sequence[str]], staged: Path
) -> Record:
    """Write the judgments of the run's variants as config `annotation`, and record them and what they say."""
    numbers = {outcome: len(ids) for outcome, ids in judged.items()}
    if numbers[NOT_JUDGED]:
        logger.warning(
            Message("%s of %s have no judgment in %s, and are dropped"),
            count(numbers[NOT_JUDGED], "variant"),
            f"{sum(numbers.values()):,}",
            ", ".join(record.options["judgments"]),
        )
    content, annotation = judgments.of("variant_id", [*judged[GOOD_VARIANT], *judged[NOT_GOOD]]).encoded()
    write_bytes(staged / data_file(ANNOTATION, TEST), content)
    return replace(record, generation=replace(generation_of(record), judged=numbers), annotation=annotation)


def _versions(options: Options) -> dict[str, str]:
    """Return the versions of this software, of Python, and of the libraries that the rows depend on."""
    versions = {"merge_snli": __version__, RUNNER: RUNNER_VERSION, "python": platform.python_version()}
    libraries = list(LIBRARIES)
    for applied in applied_filters(options):
        if applied.filter.library is not None:
            libraries.append(applied.filter.library)
    return versions | {name: version(name) for name in libraries}


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
    parts = [f"MERGE on {_problems_name(options)}"]
    if options.scramble:
        parts.append("scrambled")
    if not options.filters:
        parts.append("no filters")
    elif len(options.filters) < len(FILTER_NAMES):
        parts.append(f"filter {' '.join(options.filters)} only")
    if options.sides == UNION:
        parts.append("union")
    return ", ".join(parts)


def _problems_name(options: Options) -> str:
    if options.problems.are_bundled:
        return "its bundled problems"
    if options.problems.were_in_memory:
        return "problems in memory"
    if options.problems.are_files:
        return str(options.problems.stems)
    path = Path(str(options.problems))
    known = known_dataset(str(options.problems), options.config)
    if known:
        name = known.attribution.partition(":")[0]
    elif path.is_dir():
        name = path.resolve().name
    else:
        name = str(path)
    return name if options.split is None else f"{name} ({options.split})"


def terms_of(options: Options) -> TermsRecord:
    """Return the license and attribution of the problems, as far as they are known.

    Args:
        options: `problems` and `license` are read; `license` overrides that of a known data set.
    """
    if options.problems.are_bundled:
        return TermsRecord("apache-2.0", None)
    known = known_dataset(str(options.problems), options.config)
    if known is None:
        return TermsRecord(options.license, None)
    return TermsRecord(options.license or known.license, known.attribution)
