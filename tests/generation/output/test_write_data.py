"""Merging shards: the order is independent of the shards, and the files have the bytes of a single table."""

import io
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from generation.options import Options
from generation.output import write_data
from generation.output import write_data as merge
from generation.output.write_data import merge_files
from merge_snli.dataset import parquet_files
from merge_snli.dataset.parquet_files import rebatch
from merge_snli.schema import ALL, NLI_LABELS, SEED, TEST, data_file, features, subsample_split

OPTIONS = Options(problems="p.jsonl", mlm=("m",), subsamples=3)


def variants(seeds: int) -> pa.Table:
    """Return sorted rows of config `all` with up to 60 rows per seed."""
    numbers = random.Random(0)
    rows = [
        {
            "variant_id": f"{seed:05}:{name}:{nth}",
            "seed_id": f"{seed:05}",
            "premise": f"A {numbers.random()} runs.",
            "hypothesis": f"A {nth}.",
            "label": seed % 3,
            "seed_premise": f"A {seed} runs.",
            "seed_hypothesis": f"A {seed}.",
            "word_class": name,
            "original": str(seed),
            "replacement": str(nth),
            "premise_mlms": ["m"] * (nth % 3),
            "hypothesis_mlms": ["m"],
            "log_odds": numbers.random(),
            "subsamples": sorted(numbers.sample(range(3), numbers.randrange(4))),
        }
        for seed in range(seeds)
        for name in ("noun", "verb")[: numbers.randrange(1, 3)]
        for nth in range(numbers.randrange(1, 30))
    ]
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


@pytest.mark.parametrize(("files", "at_once"), [(1, 2), (9, 2), (9, 3), (9, 64)])
def test_merged_rows_are_sorted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: int, at_once: int) -> None:
    monkeypatch.setattr(merge, "MAX_OPEN_FILES", at_once)
    monkeypatch.setattr(merge, "ROWS_PER_READ", 11)
    table = variants(60)
    tables = spread(table, tmp_path / "tables", files)
    (tmp_path / "between").mkdir()
    assert pa.concat_tables(merge_files(tables, "seed_id", tmp_path / "between")).equals(table)


def test_rebatched_tables() -> None:
    table = variants(20)
    tables = [table.slice(first, 7) for first in range(0, table.num_rows, 7)]
    sizes = [table.num_rows for table in rebatch(tables, 50)]
    assert sizes[:-1] == [50] * (len(sizes) - 1)
    assert 0 < sizes[-1] <= 50
    assert pa.concat_tables(rebatch(tables, 50)).equals(table)
    assert list(rebatch([], 50)) == []


def test_files_have_the_bytes_of_a_single_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (write_data, parquet_files):
        monkeypatch.setattr(module, "ROWS_PER_GROUP", 100)
    table = variants(60)
    (tmp_path / "out").mkdir()
    seeds = pa.Table.from_pylist(
        [{"seed_id": seed, "label": 0} for seed in dict.fromkeys(table["seed_id"].to_pylist())],
        features(SEED, NLI_LABELS).arrow_schema,
    )
    files = spread(table, tmp_path / "variants", 5), spread(seeds, tmp_path / "seeds", 5)
    configs = write_data.write_data(tmp_path / "out", *files, OPTIONS, NLI_LABELS)
    rows = table.to_pylist()
    assert list(configs) == [ALL, "noun", "verb", SEED]
    for config in (ALL, "noun", "verb"):
        of_config = [row for row in rows if config in {ALL, row["word_class"]}]
        subsamples = {subsample_split(nth): [row for row in of_config if nth in row["subsamples"]] for nth in range(3)}
        for split, expected in {TEST: of_config, **subsamples}.items():
            content = (tmp_path / "out" / data_file(config, split)).read_bytes()
            assert content == as_single_table(expected, config), (config, split)
            assert configs[config].splits[split] == len(expected)
        assert configs[config].groups == len({row["seed_id"] for row in of_config})
        assert configs[config].rows == len(of_config)
        assert configs[config].group_labels == {
            name: len({row["seed_id"] for row in of_config if row["label"] == number})
            for number, name in enumerate(NLI_LABELS)
        }
        assert configs[config].labels == {
            name: sum(row["label"] == number for row in of_config) for number, name in enumerate(NLI_LABELS)
        }


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
