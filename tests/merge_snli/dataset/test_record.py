"""Test that records of data sets that were made before are read."""

import json
from pathlib import Path

from merge_snli.base.files import read_json
from merge_snli.dataset.record_file import OWN_DIGEST, own_digest, read_record
from merge_snli.validation import validate
from tests.records import copy_bundled

OLD_NAMES = {"subsamples": "draws", "has_seeds": "anchors"}


def test_a_data_set_with_the_old_names_of_fields_of_its_record_is_valid(tmp_path: Path) -> None:
    folder = copy_bundled(tmp_path / "old")
    file = folder / "run.json"
    values = read_json(file)
    old = {OLD_NAMES.get(name, name): value for name, value in values.items()}
    assert old.keys() >= {*OLD_NAMES.values()}
    file.write_text(json.dumps(old | {OWN_DIGEST: own_digest(old)}), encoding="utf-8")
    assert validate(folder).findings == ()
    file.write_text(json.dumps(old | {"draws": None, "anchors": False}), encoding="utf-8")
    record = read_record(file)
    assert record.subsamples is None
    assert not record.has_seeds
