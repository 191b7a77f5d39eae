"""Choose the results on one config of a data set, and write their answers as a Parquet or CSV file."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pyarrow as pa

from merge_snli.base.errors import InputError, param
from merge_snli.base.files import write_atomically
from merge_snli.dataset.folders import check_out
from merge_snli.dataset.record import require
from merge_snli.dataset.stored import MergeDataset
from merge_snli.schema import ALL
from merge_snli.scoring.results.answer_table import long_tables, read_variants, wide_table
from merge_snli.scoring.results.grouping import distinct_names_of, ranked
from merge_snli.scoring.results.result import Result

PARQUET, CSV = EXTENSIONS = (".parquet", ".csv")


def results_on(results: Iterable[Result], dataset: MergeDataset, config: str | None = None) -> list[Result]:
    """Return the results on one config of a data set, best first.

    Args:
        results: Results on any data.
        dataset: The data set.
        config: The config; by default `all` if a result is on it, else the only one with results.

    Raises:
        InputError: If the data set has no seeds, no result is on the config, or several configs have results and none
            is named.
    """
    require(dataset.record, "anchors")
    here = [result for result in results if result.dataset.digest == dataset.digest]
    configs = sorted({str(result.dataset.config) for result in here})
    chosen = config or (ALL if ALL in configs else configs[0] if len(configs) == 1 else None)
    if here and chosen is None:
        raise InputError(f"the results are on configs {', '.join(configs)}: choose one with {param('config')}")
    found = [result for result in here if result.dataset.config == chosen]
    if not found:
        others = f"; there are results on {', '.join(configs)}" if configs else ""
        raise InputError(
            f"no result is on all seeds of config {chosen or ALL} of {dataset.name} (sha256 {dataset.digest[:12]}…)"
            f"{others}: score a model on it with merge-snli score"
        )
    return ranked(found)


def check_table_path(path: Path) -> Path:
    """Check that a table can be written to a path.

    Raises:
        InputError: If its name does not end in `.parquet` or `.csv`, or its folder is not writable or in a data set.
    """
    if path.suffix not in EXTENSIONS:
        raise InputError(f"{param('export')} {path}: the name must end in {' or '.join(EXTENSIONS)}")
    return check_out(path.parent) / path.name


def write_answers(
    path: Path, results: Sequence[Result], dataset: MergeDataset, *, wide: bool = False, with_text: bool = False
) -> int:
    """Write the answers of models as a table.

    Args:
        path: A `.parquet` or `.csv` file. In CSV, the numbers of subsamples are joined by spaces.
        results: Results on one config of the data set, at least one.
        dataset: The data set.
        wide: Whether to write a row per variant, with columns for each model, and not a row per variant and model.
        with_text: Whether to write the sentences.

    Returns:
        The number of rows.

    Raises:
        InputError: If two results are of the same model, a result does not fit the data, or the file cannot be written.
    """
    variants = read_variants(dataset, str(results[0].dataset.config), with_text=with_text)
    names = distinct_names_of(results)
    models = [result.named_answers(name) for name, result in zip(names, results, strict=True)]
    tables = iter([wide_table(variants, models)]) if wide else long_tables(variants, models)
    write_atomically(path, lambda part: _write(part, tables, is_csv=path.suffix == CSV))
    return len(variants.gold) * (1 if wide else len(models))


def _write(path: Path, tables: Iterable[pa.Table], *, is_csv: bool) -> None:
    """Write tables of the same columns one after another, so that only one is in memory."""
    import pyarrow.csv
    import pyarrow.parquet as pq

    writer = None
    for table in map(_flat, tables) if is_csv else tables:
        if writer is None:
            open_writer = pyarrow.csv.CSVWriter if is_csv else pq.ParquetWriter
            writer = open_writer(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


def _flat(table: pa.Table) -> pa.Table:
    """Return a table with the numbers of subsamples as text, which CSV can hold."""
    import pyarrow.compute as pc

    at = table.column_names.index("subsamples")
    texts = pc.binary_join(table["subsamples"].cast(pa.list_(pa.string())), " ")
    return table.set_column(at, "subsamples", texts)
