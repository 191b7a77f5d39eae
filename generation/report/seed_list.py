"""The seeds of a data set by number, from which one to explain is chosen."""

from generation.report.compared import table_of
from merge_snli.base.errors import InputError
from merge_snli.base.table import Cell, Table, count
from merge_snli.dataset.record import require
from merge_snli.dataset.stored import MergeDataset, read_split
from merge_snli.schema import SEED


def seed_table(dataset: MergeDataset) -> Table:
    """Return a table with the number of each seed, its id, its replacements by word class, and its texts.

    Args:
        dataset: A data set of `generate`.
    """
    require(dataset.record, "generation")
    classes = dataset.record.options["classes"]
    texts = dataset.record.texts
    rows = []
    for number, seed in enumerate(read_split(dataset, SEED).to_pylist(), 1):
        row: dict[str, Cell] = {"seed": number, "id": seed["seed_id"]}
        for name in classes:
            row[name] = sum(seed[f"{name}_variants"])
        row[texts.first] = seed["premise"]
        row[texts.second] = seed["hypothesis"]
        rows.append(row)
    note = f"{', '.join(classes)}: replacements of the word class."
    return table_of(rows, labels=["id", *texts], notes=(note,))


def seed_at(dataset: MergeDataset, number: int) -> str:
    """Return the id of a seed.

    Args:
        dataset: A data set of `generate`.
        number: Its number in `seed_table`, from 1.
    """
    ids = read_split(dataset, SEED)["seed_id"]
    if not 1 <= number <= len(ids):
        seeds = count(len(ids), "seed")
        raise InputError(f"⟦seed⟧ is {number}, but {dataset.folder} has {seeds}: ⟦list=True⟧ shows them")
    return str(ids[number - 1].as_py())
