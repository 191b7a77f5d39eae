"""The keys of row shards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from generation.options import Options
from generation.variants import variant_shards
from generation.variants.variant_shards import Method
from merge_snli.schema import NLI_LABELS, columns


def test_other_columns_give_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    tagger: Any = None  # it is not part of the key
    method = Method(Options(problems="demo:problems", mlm=("demo:mlm-bpe",)), NLI_LABELS, {}, {}, tagger)
    tagged = Path("key.0.parquet")
    before = variant_shards._rows_key(tagged, method)
    assert variant_shards._rows_key(tagged, method) == before
    monkeypatch.setattr(variant_shards, "columns", lambda *of: columns(*of)[:-1])
    assert variant_shards._rows_key(tagged, method) != before
