"""Write a data set: its configs, card and record, moved into its folder together."""

from collections.abc import Mapping
from pathlib import Path

from merge_snli.base.files import sha256_of_file, sha256_of_json, write_bytes
from merge_snli.card import render_card
from merge_snli.dataset.out_folder import replace_folder
from merge_snli.dataset.record import ConfigRecord, DataRecord, Record
from merge_snli.dataset.record_file import encode_record, seal
from merge_snli.dataset.stored import CARD_FILE, RUN_FILE, MergeDataset, find_dataset
from merge_snli.schema import data_file


def data_record(folder: Path, configs: Mapping[str, ConfigRecord]) -> DataRecord:
    """Return what the record says of the data files of some configs."""
    files = {}
    for name, config in configs.items():
        for split in config.splits:
            path = data_file(name, split)
            files[path] = sha256_of_file(folder / path)
    return DataRecord(sha256_of_json(files), files)


def card_and_record(record: Record, folder: Path) -> dict[str, bytes]:
    """Return card and record of a data set by their paths, the record sealed.

    Args:
        record: The record; its `card` and `digest` are ignored.
        folder: The folder with the data files.
    """
    card = render_card(record, folder).encode()
    return {CARD_FILE: card, RUN_FILE: encode_record(seal(record, card))}


def write_files(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write files of a data set, by their paths relative to a folder."""
    for name, content in contents.items():
        write_bytes(folder / name, content)


def write_dataset(staged: Path, out: Path, record: Record, others: dict[str, bytes]) -> MergeDataset:
    """Write card and record beside staged data files, and move everything to the data set's folder.

    Args:
        staged: The folder with the data files, on the same disk as `out`.
        out: The data set's folder.
        record: The record, with its configs and data files.
        others: Contents of further files by their names.

    Returns:
        The data set.

    Raises:
        OSError: If the disk is full or the folder cannot be written; `out` is unchanged then.
    """
    contents = card_and_record(record, staged) | others
    write_files(staged, contents)
    names = [name for name in contents if name != RUN_FILE]
    replace_folder(staged, out, ("data", *names, RUN_FILE))
    return find_dataset(str(out))
