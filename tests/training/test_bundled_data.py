"""Test that the bundled data set has the card and the record of its run."""

from dataclasses import replace
from pathlib import Path

import merge_snli as merge
from merge_snli.card.dataset_folder import card_and_record, write_files
from training.bundled_data import bundled_files


def test_bundled_data_set_loads_by_its_bare_name(tmp_path: Path) -> None:
    """A run in another folder gives the card and the record that are in the package, but for the example's path."""
    bundled = merge.load("demo:dataset")
    made = replace(bundled, record=replace(bundled.record, load_name="./merge_snli"))
    assert 'load_dataset("./merge_snli", ' in card_and_record(made.record, made.folder)["README.md"].decode()
    files = bundled_files(made)
    assert 'load_dataset("merge_snli", ' in files["README.md"].decode()
    assert files == {name: (bundled.folder / name).read_bytes() for name in ("README.md", "run.json")}
    write_files(tmp_path, files)
    assert merge.load(str(tmp_path)).record == bundled.record
    assert (bundled.name, bundled.public_name) == ("demo:dataset", "demo:dataset")
