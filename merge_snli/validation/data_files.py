"""Check all data files: rows of variants and seeds, files derived from these two, scores of annotators, and pairs."""

import tempfile
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path

import pyarrow as pa

from generation.options import options_of_run
from generation.output.write_data import write_data
from generation.replacements.judged import GOOD_VARIANT, NOT_GOOD
from generation.seeds_from import Seeds
from generation.work import METHOD_VERSION
from merge_snli.base.errors import InputError, Message, raise_first
from merge_snli.base.files import sha256_of_file
from merge_snli.base.progress import step
from merge_snli.card.dataset_folder import config_record
from merge_snli.dataset.judgments import SCALE, SCORES, VariantJudgments, is_score
from merge_snli.dataset.parquet_files import ROWS_PER_GROUP
from merge_snli.dataset.record import AnnotationRecord, ConfigRecord, Record, as_json, generation_of
from merge_snli.dataset.stored import RUN_FILE
from merge_snli.pairs.options import SimplePairOptions
from merge_snli.pairs.output import METHOD_VERSION as PAIRS_METHOD_VERSION
from merge_snli.pairs.output import PairConfig, stored_table
from merge_snli.pairs.simple_pair import COMMAND, simple_pair_configs
from merge_snli.schema import ALL, ANNOTATION, SEED, TEST, data_file, features
from merge_snli.validation.findings import Collector, quoted
from merge_snli.validation.folder import check_digests
from merge_snli.validation.parquet import READ_ERRORS, check_table, read_column, read_tables
from merge_snli.validation.recorded_run import ANNOTATED, SEEDS, VARIANTS, RecordedRun
from merge_snli.validation.rows import check_rows
from merge_snli.validation.seeds import Row

NEW_RUN = "a new run with the recorded options"


def check_data_files(folder: Path, run: RecordedRun, tagger: str | None, collector: Collector) -> None:
    """Check the columns and rows of the data files.

    Args:
        folder: The data set's folder.
        run: The record of the run.
        tagger: The spaCy pipeline that the user names; None for the recorded one.
        collector: Gets the findings and counts.
    """
    collector.count("data files", sum((folder / name).is_file() for name in run.files))
    unreadable = [name for name in (VARIANTS, SEEDS) if not _check_table(folder, name, run, collector)]
    if unreadable:
        collector.skip(f"rows: {' and '.join(unreadable)} cannot be read")
        for name in sorted(set(run.files) - {VARIANTS, SEEDS}):
            _check_table(folder, name, run, collector)
        return
    if run.record.method_version == METHOD_VERSION:
        check_rows(folder, run, tagger, collector)
    else:
        collector.skip(f"rows: written by method version {run.record.method_version}, this is {METHOD_VERSION}")
    _check_derived(folder, run, collector)


def _check_table(folder: Path, name: str, run: RecordedRun, collector: Collector) -> bool:
    return check_table(folder, name, run.record.features(Path(name).parent.name).arrow_schema, collector)


def _check_derived(folder: Path, run: RecordedRun, collector: Collector) -> None:
    """Write the data set again from configs `all` and `seed`, and compare files, counts and seeds."""
    with tempfile.TemporaryDirectory() as copy:
        try:
            with step("writing files again", len(run.files), "files"):
                configs = write_data(
                    Path(copy), [folder / VARIANTS], [folder / SEEDS], run.options, run.record.label_names
                )
        except READ_ERRORS:
            collector.skip(f"derived files: {VARIANTS} has invalid rows")
            return
        _check_bytes(folder, Path(copy), run, collector)
    compare_configs(run.record.configs, configs, collector)
    if (recorded := generation_of(run.record).seeds) is not None:
        columns = read_tables(folder / VARIANTS, columns=["seed_id", "word_class"])
        classes = pa.concat_tables(columns).group_by("seed_id").aggregate([("word_class", "distinct")]).to_pylist()
        seeds = Seeds("", {row["seed_id"]: frozenset(row["word_class_distinct"]) for row in classes}, {})
        collector.compare(RUN_FILE, "generation.seeds.digest", recorded.digest, seeds.digest, "the data has")


def compare_configs(
    recorded: Mapping[str, ConfigRecord], given: Mapping[str, ConfigRecord], collector: Collector
) -> None:
    """Report what the record says of configs other than the data.

    Args:
        recorded: The configs of the record.
        given: The configs that the data gives.
        collector: Gets the findings.
    """
    if list(recorded) != list(given):
        collector.find(RUN_FILE, None, "configs", f"has {', '.join(recorded)}; the data has {', '.join(given)}")
    for name in recorded.keys() & given.keys():
        collector.compare(RUN_FILE, f"configs.{name}", as_json(recorded[name]), as_json(given[name]), "the data has")


def _check_bytes(folder: Path, copy: Path, run: RecordedRun, collector: Collector) -> None:
    """Report files with other rows than those of the copy, and files with the same rows but other bytes."""
    different = [
        name
        for name in run.files
        if (folder / name).is_file()
        and not ((copy / name).is_file() and sha256_of_file(folder / name) == sha256_of_file(copy / name))
    ]
    same_rows = [name for name in different if _has_same_rows(folder, copy, name, run, collector)]
    version = run.record.versions.get("pyarrow")
    if version != pa.__version__:
        collector.skip(f"bytes of the data files: written by pyarrow {version}, this is {pa.__version__}")
    elif len(same_rows) * 2 > len(run.files):
        collector.skip(f"bytes of the data files: this build of pyarrow {pa.__version__} compresses differently")
    else:
        for name in same_rows:
            collector.find(name, None, None, "has other bytes than its rows give: other readers may find other rows")


def _has_same_rows(folder: Path, copy: Path, name: str, run: RecordedRun, collector: Collector) -> bool:
    """Return whether a file and its copy have the same rows.

    A surplus or missing row shifts all later rows, so only the first difference is reported.
    """
    if not _check_table(folder, name, run, collector):
        return False
    tables = (read_tables(path / name) if (path / name).is_file() else () for path in (folder, copy))
    first, source = 0, f"config {SEED if name == SEEDS else ALL}, split {TEST}"
    for table, expected in zip_longest(*tables):
        if table is None or expected is None or not table.equals(expected):
            rows, expected_rows = ([] if of is None else of.to_pylist() for of in (table, expected))
            if find_difference(name, first, rows, expected_rows, source, collector):
                return False
        first += ROWS_PER_GROUP
    return True


def find_difference(
    name: str, first: int, rows: Sequence[Row], expected_rows: Sequence[Row], source: str, collector: Collector
) -> bool:
    """Report the first row that differs from the expected one, and return whether there is one.

    Args:
        name: The file's relative path.
        first: Number of the first row.
        rows: Rows of the file.
        expected_rows: The expected rows.
        source: Where they come from, for the message.
        collector: Gets the finding.
    """
    for number, (row, expected) in enumerate(zip_longest(rows, expected_rows), first):
        if repr(row) == repr(expected):  # NaN equals NaN
            continue
        if row is None:
            collector.find(name, number, None, f"is missing: {source} has more rows")
        elif expected is None:
            collector.find(name, number, None, f"is not in {source}")
        else:
            column = next(column for column in row if repr(row[column]) != repr(expected[column]))
            collector.find(name, number, column, f"is {quoted(row[column])}; {source} has {quoted(expected[column])}")
        return True
    return False


def check_annotation(
    folder: Path, record: AnnotationRecord | None, collector: Collector, filtered_by: Collection[str] = ()
) -> None:
    """Compare the scores of annotators with the record and with the variants of config `all`.

    Args:
        folder: The data set's folder.
        record: What `run.json` says of the scores; if None, nothing is checked.
        collector: Gets the findings and counts.
        filtered_by: The annotators by whose scores variants were dropped, which are not in config `all`.
    """
    if record is None:
        return
    check_digests(folder, {ANNOTATED: record.digest}, collector)
    if not check_table(folder, ANNOTATED, features(ANNOTATION).arrow_schema, collector):
        return
    rows = pa.concat_tables(read_tables(folder / ANNOTATED)).to_pylist()
    collector.count("scores of annotators", len(rows))
    if len(rows) != record.rows:
        collector.find(ANNOTATED, None, None, f"has {len(rows)} rows; the record has {record.rows}")
    annotators, recorded = sorted({row["annotator"] for row in rows}), [*record.annotators]
    if annotators != recorded:
        collector.find(ANNOTATED, None, "annotator", f"has {quoted(annotators)}; the record has {quoted(recorded)}")
    try:
        variants = set(read_column(folder / VARIANTS, "variant_id"))
    except READ_ERRORS:
        collector.skip(f"variants of {ANNOTATED}: {VARIANTS} cannot be read")
        return
    keys = [(row["variant_id"], row["annotator"]) for row in rows]
    for number, (row, key, previous) in enumerate(zip(rows, keys, [("", ""), *keys], strict=False)):
        find = partial(collector.find, ANNOTATED, number)
        if row["variant_id"] not in variants and row["annotator"] not in filtered_by:
            find("variant_id", f"{quoted(row['variant_id'])} is not a variant of config all")
        for name in (name for name in SCORES if not is_score(row[name])):
            find(name, f"is {row[name]}, but must be from {min(SCALE)} to {max(SCALE)}")
        if key <= previous:
            find("variant_id", f"{quoted(list(key))} is double or out of order: it follows {quoted(list(previous))}")


def check_judgments(folder: Path, record: Record, annotators: Collection[str], collector: Collector) -> None:
    """Filter by judgments again: report variants that these drop, and those that they keep but the data lacks.

    Args:
        folder: The data set's folder.
        record: Its record.
        annotators: Whose scores variants were filtered by.
        collector: Gets the findings.
    """
    try:
        means = VariantJudgments(pa.concat_tables(read_tables(folder / ANNOTATED))).of("annotator", annotators).means
        variants = set(read_column(folder / VARIANTS, "variant_id"))
    except READ_ERRORS:
        collector.skip(f"filter by judgments: {ANNOTATED} or {VARIANTS} cannot be read")
        return
    options = options_of_run(record.options)
    good = {variant for variant, mean in means.items() if mean >= options.min_judged}
    seeds = Counter(tuple(variant.rsplit(":", 3)[:2]) for variant in good)
    kept = {variant for variant in good if seeds[tuple(variant.rsplit(":", 3)[:2])] >= options.inflation}
    for variant in sorted(variants ^ kept):
        mean = f"has mean F + R of {means[variant]:.2f}" if variant in means else "was not judged"
        problem = "is a variant of config all" if variant in variants else "is not a variant of config all"
        collector.find(ANNOTATED, None, "variant_id", f"{quoted(variant)} {mean}, and {problem}: filter again")
    counted = {GOOD_VARIANT: len(good), NOT_GOOD: len(means) - len(good)}
    recorded = generation_of(record).judged or {}
    collector.compare(
        RUN_FILE, "generation.judged", {name: recorded.get(name) for name in counted}, counted, "the judgments give"
    )


def check_pairs(folder: Path, record: Record, collector: Collector) -> None:
    """Check data files and rows.

    Args:
        folder: The data set's folder.
        record: Its record.
        collector: Gets the findings and counts.
    """
    again: dict[str, PairConfig] | None = None
    try:
        again = _made_again(record)
    except (InputError, TypeError) as error:
        why = error.message.marked if isinstance(error, InputError) else error
        collector.skip(Message(f"sentences: {why}"))
    seen: set[str] = set()
    for name, config in record.configs.items():
        path = data_file(name, config.split)
        collector.count("data files", (folder / path).is_file())
        if check_table(folder, path, record.features(name).arrow_schema, collector):
            table = pa.concat_tables(read_tables(folder / path))
            _check_rows(folder, record, name, table, seen, collector)
            if again is not None:
                expected = stored_table(again[name]) if name in again else table[:0]
                collector.count("regenerated rows", expected.num_rows)
                if not table.equals(expected):
                    find_difference(path, 0, table.to_pylist(), expected.to_pylist(), NEW_RUN, collector)


def _check_rows(folder: Path, record: Record, name: str, table: pa.Table, seen: set[str], collector: Collector) -> None:
    """Check that a group has one premise and no pair an id of `seen`, which gets its ids; and the record's counts."""
    config, path = record.configs[name], data_file(name, record.configs[name].split)
    collector.count("rows", table.num_rows)
    premises: dict[str, str] = {}
    columns = (table[column].to_pylist() for column in ("pair_id", record.group_column, "premise"))
    for number, (pair_id, group, premise) in enumerate(zip(*columns, strict=True)):
        if premises.setdefault(group, premise) != premise:
            collector.find(path, number, record.group_column, f"{quoted(group)} has another premise in an earlier row")
        if pair_id in seen:
            collector.find(path, number, "pair_id", f"{quoted(pair_id)} is the id of an earlier pair")
        seen.add(pair_id)
    try:
        counted = config_record(
            folder,
            name,
            {config.split: table.num_rows},
            config.columns,
            description=config.description,
            group_column=record.group_column,
            label_names=record.label_names,
        )
    except READ_ERRORS:
        collector.find(path, None, "label", f"has numbers other than 0 to {len(record.label_names) - 1}")
        return
    compare_configs({name: config}, {name: counted}, collector)


def _made_again(record: Record) -> dict[str, PairConfig]:
    """Return the rows that the recorded options give."""
    raise_first(
        (record.command != COMMAND, "the problems that they come from are not part of the data set"),
        (
            record.method_version != PAIRS_METHOD_VERSION,
            f"made by method version {record.method_version}, this is {PAIRS_METHOD_VERSION}",
        ),
    )
    configs, sources = simple_pair_configs(SimplePairOptions(**record.options))
    if sources != record.sources:
        raise InputError("made from other words or templates than those of this installation")
    return configs
