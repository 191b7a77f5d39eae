"""The variants in what `datasets` loaded: a `DatasetDict`, a split, or a part of one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from merge_snli.base.errors import InputError
from merge_snli.base.files import sha256_of_json
from merge_snli.dataset.config_record import config_record
from merge_snli.dataset.label_spellings import Labels
from merge_snli.dataset.record import DataRecord, Record, TermsRecord
from merge_snli.schema import ALL, TEST, VARIANT_COLUMNS, features_of

if TYPE_CHECKING:
    import pyarrow as pa

# The command of a record that was made from loaded rows, whose folder is not known.
COMMAND = "load_dataset"
SUBSAMPLE = re.compile(r"subsample_(\d+)")
# The name of a repository of the Hub in the cache of `datasets`.
CACHED_REPOSITORY = re.compile(r"([^/\\]+)___([^/\\]+)")


@dataclass(frozen=True)
class LoadedRows:
    """Rows of one config.

    Attributes:
        name: What `datasets` calls the data set: the last part of its folder or Hub id.
        hub_id: Its Hub id; None if it is not from the Hub, or that is not known.
        version: The version of the config, which begins with that of the digest of its data set.
        config: The config.
        subsample: The number of the subsample whose split the rows are; None for the split `test`.
        label_names: The labels in the order of their numbers.
        table: The rows, with the columns of variants in their order.
    """

    name: str
    hub_id: str | None
    version: str
    config: str
    subsample: int | None
    label_names: Labels
    table: pa.Table = field(repr=False, compare=False)

    @cached_property
    def row_ids(self) -> frozenset[str]:
        """The ids of the rows."""
        return frozenset(self.table["variant_id"].to_pylist())

    def are_of(self, stored: pa.Table) -> bool:
        """Return whether a stored config has all the rows."""
        import pyarrow.compute as pc

        at = pc.index_in(self.table["variant_id"], stored["variant_id"])
        names = [column.name for column in VARIANT_COLUMNS]
        return not at.null_count and bool(stored.select(names).take(at).equals(self.table.select(names)))

    def record(self) -> Record:
        """Return a record of the rows alone, for rows whose folder is not known."""
        import pyarrow.compute as pc

        rows = sorted(self.table.to_pylist(), key=lambda row: str(row["variant_id"]))
        last_subsample = pc.max(pc.list_flatten(self.table["subsamples"])).as_py()
        # Other numbers are not labels; the check of the rows finds them.
        is_label = pc.field("label").isin(range(len(self.label_names)))
        config = config_record(
            self.table.filter(is_label),
            {TEST: len(rows)},
            VARIANT_COLUMNS,
            description="",
            group_column="seed_id",
            label_names=self.label_names,
        )
        data = DataRecord(sha256_of_json([self.config, self.label_names, rows]), {})
        return Record(
            command=COMMAND,
            method_version="",
            options={},
            sources=(),
            label_names=self.label_names,
            group_column="seed_id",
            subsamples=1 + (last_subsample or 0),
            has_seeds=True,
            title=self.name,
            load_name=self.name,
            terms=TermsRecord(None, None),
            versions={},
            configs={self.config: config},
            data=data,
        )


def read_loaded(given: object) -> LoadedRows:
    """Read the variants in what `load_dataset` returned.

    Args:
        given: A `DatasetDict` or `Dataset`, or their iterable forms, of which every row is read.

    Raises:
        InputError: If it is another object, or does not have the columns of variants.
    """
    kind = type(given).__name__
    splits = dict(given) if isinstance(given, Mapping) else {"": given}
    if not (splits and all(map(_is_loaded, splits.values()))):
        raise InputError(
            f"a value of type {kind:.40} is not a data set: give the folder or Hub id of a MERGE data set, or what "
            "load_dataset returned for a config of one; to score other pairs, name their groups with "
            "⟦group_column⟧"
        )
    split = TEST if TEST in splits else next(iter(splits))
    rows: Any = splits[split]
    name = str(rows.info.dataset_name or "rows in memory")
    if split != TEST and len(splits) > 1:
        raise InputError(f"the {kind:.40} has no split {TEST}: give one of its splits")
    found = SUBSAMPLE.fullmatch(str(rows.split or ""))
    subsample = int(found[1]) if found else None
    return LoadedRows(
        name=name,
        hub_id=_hub_id(rows),
        version=str(rows.info.version or ""),
        config=str(rows.info.config_name or ALL),
        subsample=subsample,
        label_names=_label_names(rows, kind),
        table=_variants(rows, kind, subsample),
    )


def _is_loaded(given: object) -> bool:
    return any(parent.__module__.startswith("datasets.") for parent in type(given).__mro__) and hasattr(given, "info")


def _label_names(rows: Any, kind: str) -> Labels:  # noqa: ANN401 - a `Dataset`
    """Return the names of the labels, and check that the rows are variants."""
    features = rows.features or {}
    missing = [column.name for column in VARIANT_COLUMNS if column.name not in (*features, "subsamples")]
    if missing:
        others = f" and {len(missing) - 1} others" if len(missing) > 1 else ""
        raise InputError(
            f"the {kind:.40} has no column {missing[0]}{others} of variants: give a config of a MERGE data set, or "
            "name the groups with ⟦group_column⟧"
        )
    names = getattr(features["label"], "names", None)
    if not names:
        raise InputError(f"the labels of the {kind:.40} are not a ClassLabel: give it as load_dataset returned it")
    return tuple(names)


def _variants(rows: Any, kind: str, subsample: int | None) -> pa.Table:  # noqa: ANN401 - a `Dataset`
    """Return the columns of variants of a split; a split of a subsample without their numbers has its own."""
    import pyarrow as pa
    from datasets import Dataset, Features

    if not isinstance(rows, Dataset):
        rows = Dataset.from_list([*rows], features=Features(rows.features))
    table = rows.with_format("arrow")[:]
    if "subsamples" not in table.column_names:
        if subsample is None:
            raise InputError(f"the {kind:.40} has no column subsamples: give it as load_dataset returned it")
        table = table.append_column("subsamples", pa.array([[subsample]] * table.num_rows))
    if len(set(table["variant_id"].to_pylist())) < table.num_rows or not table.num_rows:
        raise InputError(f"the {kind:.40} has {table.num_rows:,} rows, and a variant twice or none: give each once")
    known = features_of(VARIANT_COLUMNS, rows.features["label"].names)
    own = table.select([*known]).cast(known.arrow_schema).replace_schema_metadata()
    for name in table.column_names:
        if name not in known:
            own = own.append_column(name, table[name])
    return own


def _hub_id(rows: Any) -> str | None:  # noqa: ANN401 - a `Dataset`
    """Return the Hub id of a data set by the names of its files in the cache of `datasets`."""
    for file in getattr(rows, "cache_files", ()):
        found = CACHED_REPOSITORY.search(file["filename"])
        if found is not None:
            return f"{found[1]}/{found[2]}"
    return None
