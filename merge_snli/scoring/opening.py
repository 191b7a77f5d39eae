"""Open the data to score: a config of a MERGE data set, or labeled pairs in groups."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from merge_snli.base.errors import InputError, param
from merge_snli.dataset.record import ConfigRecord
from merge_snli.dataset.stored import RUN_FILE, MergeDataset, find_dataset, read_split
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.rows import JOIN
from merge_snli.schema import ALL, TEST
from merge_snli.scoring.data import ScoredData
from merge_snli.scoring.reading import read_config, read_groups

# The columns by which data sets made from templates are scored by default, if a config has them: Tables 1 to 3 of Luo
# et al. (2022).
TEMPLATE_COLUMNS = (
    "template",
    "hypothesis_template",
    f"template{JOIN}hypothesis_template",
    f"template{JOIN}relevance",
)


def open_data(
    dataset: object, *, config: str | None = None, group_column: str | None = None, by: Sequence[str] = ()
) -> Iterator[ScoredData]:
    """Open the data to score, one config after another.

    Args:
        dataset: Folder or Hub id of a MERGE data set or of one made from templates; with `group_column`, a file, a
            folder, a Hub id, `ProblemOptions`, or problems in memory.
        config: A config; by default `all` of a MERGE data set, and every config with a split `test` of one made from
            templates.
        group_column: The column of the groups.
        by: Columns by whose values scores are computed as well.

    Raises:
        InputError: If the data cannot be read, or `group_column` is needed.
    """
    if group_column is not None:
        yield read_groups(_options(dataset, config), group_column=group_column, by=by)
        return
    opened = _open(dataset)
    if not opened.record.anchors:
        yield from _read_configs(opened, config=config, by=by)
        return
    if by:
        raise InputError(f"{param('by')} needs pairs in groups: name their column with {param('group_column')}")
    yield read_config(opened, config or ALL)


def open_config(
    dataset: object, config: str | None, *, group_column: str | None = None, by: Sequence[str] = ()
) -> ScoredData:
    """Open one config of a data set; the only one if none is named. The arguments are those of `open_data`.

    Raises:
        InputError: If the data cannot be read, or has several configs.
    """
    data, *others = open_data(dataset, config=config, group_column=group_column, by=by)
    if others:
        names = ", ".join(str(each.config) for each in (data, *others))
        raise InputError(f"{data.name} has several configs: choose one of {names} with {param('config')}")
    return data


def data_keys(dataset: MergeDataset) -> set[tuple[str, str | None]]:
    """Return the digest and config of each config of a stored data set as in the records of results on it."""
    if dataset.record.anchors:
        return {(dataset.digest, config) for config in dataset.record.test_configs}
    return {(data.digest, data.config) for data in open_data(dataset)}


def _options(dataset: object, config: str | None) -> ProblemOptions:
    options = dataset if isinstance(dataset, ProblemOptions) else ProblemOptions(problems=dataset)
    return options if config is None else replace(options, config=config)


def _open(dataset: object) -> MergeDataset:
    if isinstance(dataset, MergeDataset):
        return dataset
    if isinstance(dataset, ProblemOptions):
        raise InputError(f"{dataset.problems}: name the column of the groups with {param('group_column')}")
    if not isinstance(dataset, str | Path):
        raise InputError(
            f"cannot score on a {type(dataset).__name__}; give the folder or Hub id of a MERGE data set, or name the "
            f"column of the groups with {param('group_column')}"
        )
    path = Path(dataset)
    missing = "it is a file" if path.is_file() else f"{RUN_FILE} is missing"
    if path.is_file() or (path.is_dir() and not (path / RUN_FILE).exists()):
        raise InputError(
            f"{dataset} is not a MERGE data set: {missing}; to score labeled pairs, name their groups with "
            f"{param('group_column')}"
        )
    return find_dataset(str(dataset))


def _read_configs(dataset: MergeDataset, *, config: str | None, by: Sequence[str]) -> Iterator[ScoredData]:
    """Read the config, or every config that is for testing."""
    record, name = dataset.record, dataset.public_name
    configs = list(record.test_configs)
    if config is not None and config not in configs:
        raise InputError(f"{name} has no config {config!r} with a split {TEST}; choose one of {', '.join(configs)}")
    for each in configs if config is None else [config]:
        columns = [column.name for column in record.configs[each].columns]
        missing = next((one for one in by if one not in columns and not {*one.split(JOIN)} <= {*columns}), None)
        if missing is not None:
            raise InputError(
                f"config {each} of {name} has no column {missing!r} (columns: {', '.join(columns)}): give "
                f"{param('by')} a column that it has, or choose another {param('config')}"
            )
        table = read_split(dataset, each)
        data = read_groups(
            ProblemOptions(problems=table),
            table=table,
            group_column=record.group_column,
            by=tuple(by) or _template_columns(record.configs[each]),
            name=f"config {each} of {name}",
        )
        yield replace(data, dataset=dataset, name=name, title=record.title, revision=dataset.revision, config=each)


def _template_columns(config: ConfigRecord) -> tuple[str, ...]:
    """Return those of `TEMPLATE_COLUMNS` that a config has."""
    names = {column.name for column in config.columns}
    return tuple(column for column in TEMPLATE_COLUMNS if names.issuperset(column.split(JOIN)))
