"""Test that records of data sets that were made before are read."""

import json
from pathlib import Path

import pytest

from merge_snli.dataset.record_file import OWN_DIGEST, own_digest, read_record
from merge_snli.validation import validate
from tests.records import SHIPPED, copy_bundled

OLD_NAMES = {"subsamples": "draws", "has_seeds": "anchors"}


@pytest.mark.parametrize("with_seeds", [True, False])
def test_a_record_with_the_old_names_of_its_fields_is_read(tmp_path: Path, with_seeds: bool) -> None:
    values = json.loads(SHIPPED.read_text(encoding="utf-8"))
    values |= {"has_seeds": with_seeds, "subsamples": 10 if with_seeds else None}
    old = {OLD_NAMES.get(name, name): value for name, value in values.items()}
    (tmp_path / "run.json").write_text(json.dumps(old), encoding="utf-8")
    record = read_record(tmp_path / "run.json")
    assert (record.has_seeds, record.subsamples) == (with_seeds, 10 if with_seeds else None)


def test_a_data_set_with_such_a_record_is_valid(tmp_path: Path) -> None:
    folder = copy_bundled(tmp_path / "old")
    file = folder / "run.json"
    values = json.loads(file.read_text(encoding="utf-8"))
    old = {OLD_NAMES.get(name, name): value for name, value in values.items()}
    assert old != values
    file.write_text(json.dumps(old | {OWN_DIGEST: own_digest(old)}), encoding="utf-8")
    assert validate(folder).findings == ()
