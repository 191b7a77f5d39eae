"""Open the data to score: a config of a MERGE data set, or labeled pairs in groups."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from merge_snli.answers.data import ScoredData
from merge_snli.answers.groups import read_groups
from merge_snli.answers.reading import read_config
from merge_snli.base.errors import InputError
from merge_snli.dataset.stored import BUNDLED, RUN_FILE, MergeDataset, find_dataset
from merge_snli.problems.options import ProblemOptions
from merge_snli.schema import ALL, TEST


def open_data(
    dataset: object, *, config: str | None = None, group_column: str | None = None, by: Sequence[str] = ()
) -> Iterator[ScoredData]:
    """Open the data to score, one config after another.

    Args:
        dataset: Folder or Hub id of a MERGE data set or of one made from templates, or what `load_dataset` returned for
            a config of one; with `group_column`, a file, a folder, a Hub id, `ProblemOptions`, or problems in memory.
        config: A config; by default `all` of a MERGE data set, and every config with a split `test` of one made from
            templates.
        group_column: The column of the groups.
        by: Columns by whose values scores are computed as well.

    Raises:
        InputError: If the data cannot be read, or `group_column` is needed.
    """
    if group_column is not None:
        options = dataset if isinstance(dataset, ProblemOptions) else ProblemOptions(problems=dataset)
        if str(options.problems) == BUNDLED:
            raise InputError(f"⟦group_column⟧ is for pairs without seeds, and {BUNDLED} has seeds: remove it")
        options = options if config is None else replace(options, config=config)
        yield read_groups(options, group_column=group_column, by=by)
        return
    opened = _open(dataset)
    record = opened.record
    name = opened.public_name
    if opened.loaded is not None:
        config = config or opened.loaded.config
    if record.has_seeds:
        if by:
            raise InputError("⟦by⟧ needs pairs in groups: name their column with ⟦group_column⟧")
        yield read_config(opened, config or ALL)
        return
    configs = list(record.test_configs)
    if config not in (None, *configs):
        raise InputError(f"{name} has no config {config!r} with a split {TEST}; choose one of {', '.join(configs)}")
    for own in configs if config is None else [config]:
        yield read_config(opened, own, by)


def open_config(
    dataset: object, config: str | None, *, group_column: str | None = None, by: Sequence[str] = ()
) -> ScoredData:
    """Open one config of a data set; the only one if none is named. The arguments are those of `open_data`.

    Raises:
        InputError: If the data cannot be read, or has several configs.
    """
    data, *others = open_data(dataset, config=config, group_column=group_column, by=by)
    if others:
        names = ", ".join(str(opened.config) for opened in (data, *others))
        raise InputError(f"{data.name} has several configs: choose one of {names} with ⟦config⟧")
    return data


def _open(dataset: object) -> MergeDataset:
    if isinstance(dataset, ProblemOptions):
        raise InputError(f"{dataset.problems}: name the column of the groups with ⟦group_column⟧")
    if not isinstance(dataset, str | Path):
        return find_dataset(dataset)
    path = Path(dataset)
    missing = "it is a file" if path.is_file() else f"{RUN_FILE} is missing"
    if path.is_file() or (path.is_dir() and not (path / RUN_FILE).exists()):
        raise InputError(
            f"{dataset} is not a MERGE data set: {missing}; to score labeled pairs, name their groups with "
            "⟦group_column⟧"
        )
    return find_dataset(str(dataset))
