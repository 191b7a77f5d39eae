"""Merging shards: the order is independent of the shards, and the files have the bytes of a single table."""

import io
import random
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from generation.options import Options
from generation.output import write_data
from generation.output.write_data import merge_files
from merge_snli.dataset import parquet_files
from merge_snli.dataset.parquet_files import rebatch
from merge_snli.schema import ALL, NLI_LABELS, SEED, TEST, data_file, features, subsample_split

OPTIONS = Options(problems="p.jsonl", mlm=("m",), subsamples=3)


def variants(seeds: int) -> pa.Table:
    """Return sorted rows of config `all` with up to 60 rows per seed."""
    numbers = random.Random(0)
    rows = []
    for seed in range(seeds):
        of_seed = {
            "seed_id": f"{seed:05}",
            "label": seed % 3,
            "seed_premise": f"A {seed} runs.",
            "seed_hypothesis": f"A {seed}.",
            "original": str(seed),
        }
        for name in ("noun", "verb")[: numbers.randrange(1, 3)]:
            for number in range(numbers.randrange(1, 30)):
                row = {
                    "variant_id": f"{seed:05}:{name}:{number}",
                    "premise": f"A {numbers.random()} runs.",
                    "hypothesis": f"A {number}.",
                    "word_class": name,
                    "replacement": str(number),
                    "premise_mlms": ["m"] * (number % 3),
                    "hypothesis_mlms": ["m"],
                    "log_odds": numbers.random(),
                    "subsamples": sorted(numbers.sample(range(3), numbers.randrange(4))),
                }
                rows.append(of_seed | row)
    return pa.Table.from_pylist(rows, features(ALL, NLI_LABELS).arrow_schema)


def spread(table: pa.Table, folder: Path, files: int) -> list[Path]:
    """Distribute the rows over files, with all rows of a seed in the same file."""
    numbers = random.Random(1)
    file_of = {seed: numbers.randrange(files) for seed in dict.fromkeys(table["seed_id"].to_pylist())}
    folder.mkdir()
    for number in range(files):
        rows = [row for row, seed in enumerate(table["seed_id"].to_pylist()) if file_of[seed] == number]
        pq.write_table(table.take(rows), folder / f"{number}.parquet", row_group_size=17)
    return sorted(folder.iterdir(), key=lambda path: numbers.random())


@pytest.mark.parametrize(("files", "at_once"), [(1, 2), (9, 3), (9, 64)])
def test_merged_rows_are_sorted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: int, at_once: int) -> None:
    monkeypatch.setattr(write_data, "MAX_OPEN_FILES", at_once)
    monkeypatch.setattr(write_data, "ROWS_PER_READ", 11)
    table = variants(60)
    tables = spread(table, tmp_path / "tables", files)
    (tmp_path / "between").mkdir()
    assert pa.concat_tables(merge_files(tables, "seed_id", tmp_path / "between")).equals(table)


def test_rebatched_tables() -> None:
    table = variants(20)
    tables = [table.slice(first, 7) for first in range(0, table.num_rows, 7)]
    *first, last = rebatch(tables, 50)
    assert {batch.num_rows for batch in first} == {50}
    assert 0 < last.num_rows <= 50
    assert pa.concat_tables([*first, last]).equals(table)
    assert list(rebatch([], 50)) == []


def test_files_have_the_bytes_of_a_single_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (write_data, parquet_files):
        monkeypatch.setattr(module, "ROWS_PER_GROUP", 100)
    table = variants(60)
    out = tmp_path / "out"
    out.mkdir()
    rows = table.to_pylist()
    seeds = [{"seed_id": seed, "label": 0} for seed in dict.fromkeys(row["seed_id"] for row in rows)]
    seed_table = pa.Table.from_pylist(seeds, features(SEED, NLI_LABELS).arrow_schema)
    files = spread(table, tmp_path / "variants", 5), spread(seed_table, tmp_path / "seeds", 5)
    configs = write_data.write_data(out, *files, OPTIONS, NLI_LABELS)
    assert list(configs) == [ALL, "noun", "verb", SEED]
    for config in (ALL, "noun", "verb"):
        of_config = [row for row in rows if config in {ALL, row["word_class"]}]
        split_rows = {TEST: of_config}
        for number in range(3):
            split_rows[subsample_split(number)] = [row for row in of_config if number in row["subsamples"]]
        written = configs[config]
        for split, expected in split_rows.items():
            assert (out / data_file(config, split)).read_bytes() == as_single_table(expected, config), (config, split)
            assert written.splits[split] == len(expected)
        label_of = {row["seed_id"]: NLI_LABELS[row["label"]] for row in of_config}
        assert written.groups == len(label_of)
        assert written.rows == len(of_config)
        assert written.group_labels == Counter(label_of.values())
        assert written.labels == Counter(NLI_LABELS[row["label"]] for row in of_config)


def as_single_table(rows: list[dict[str, object]], config: str) -> bytes:
    table = pa.Table.from_pylist(rows, features(config, NLI_LABELS).arrow_schema)
    file = io.BytesIO()
    pq.write_table(
        table,
        file,
        compression="zstd",
        compression_level=parquet_files.COMPRESSION_LEVEL,
        use_dictionary=write_data.REPEATED_COLUMNS,
        row_group_size=100,
    )
    return file.getvalue()
