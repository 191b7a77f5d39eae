"""Measure the last task of a run on a cluster: merging and writing the results of made-up shards.

    python -m benchmarks.cluster_last_task 1000000 --folder FOLDER

The shards have the paper's share of seeds (2,573 of 9,824 problems of SNLI test) with 40 variants each; their texts are
those of the bundled data set. CPU time is of one thread.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import sys
import time
from dataclasses import asdict, replace
from itertools import cycle, islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import merge_snli
from generation import Options
from generation.replacements.finding import counts_table
from generation.run import GenerationRun, plan_run, read_inputs
from generation.sentences.tagged_shards import PROBLEMS_PER_SHARD
from generation.tasks import write
from generation.variant_shards import STANDALONE, VARIANT_COUNTS, VariantShard
from generation.work import RESULT_FOLDERS, TAGGED_FOLDER, write_shard
from merge_snli.base.files import sha256_of_json
from merge_snli.base.progress import Progress
from merge_snli.base.stages import FILTERS, TAG, WHOLE, Notes
from merge_snli.dataset.record import WordCounts
from merge_snli.schema import ALL, NLI_LABELS, SEED, WORD_CLASSES, features

SEEDS_PER_SHARD, VARIANTS_PER_SEED = 33, 40
DATA = Path(merge_snli.__file__).parent / "data"


def main() -> None:
    """Make the shards, run the task, and print its time and peak memory."""
    parser = argparse.ArgumentParser()
    parser.add_argument("problems", type=int)
    parser.add_argument("--folder", type=Path, required=True)
    arguments = parser.parse_args()
    run = make_run(arguments.folder, arguments.problems // PROBLEMS_PER_SHARD)
    start = time.monotonic()
    make_shards(run)
    before = peak_memory()
    sys.stdout.write(f"made {run.shards} shards in {time.monotonic() - start:.0f} s, peak memory {before:.2f} GB\n")
    sys.stdout.flush()
    start, cpu = time.monotonic(), time.process_time()
    with Progress(quiet=True).stage("write", unit="data set") as stage:
        write(run, WHOLE, stage)
    size = sum(path.stat().st_size for path in run.out.rglob("*") if path.is_file())
    variants = run.shards * SEEDS_PER_SHARD * VARIANTS_PER_SEED
    sys.stdout.write(
        f"{run.shards * PROBLEMS_PER_SHARD:,} problems, {variants:,} variants: "
        f"{time.monotonic() - start:.0f} s ({time.process_time() - cpu:.0f} s of CPU time), "
        f"peak memory {peak_memory():.2f} GB, {size / 1e9:.2f} GB written\n"
    )


def make_run(folder: Path, shards: int) -> GenerationRun:
    """Return a run on the bundled problems, with more shards than they have."""
    shutil.rmtree(folder, ignore_errors=True)
    options = Options(problems="demo:problems", mlm=("demo:mlm-wordpiece", "demo:mlm-bpe"))
    out = folder / "merge_snli"
    run = plan_run(read_inputs(options, Progress(quiet=True)), out, problems_per_shard=PROBLEMS_PER_SHARD)
    notes = Notes(folder / "merge_snli.work" / "cluster" / "plan")
    return replace(run, size=shards * PROBLEMS_PER_SHARD, notes=notes)


def make_shards(run: GenerationRun) -> None:
    """Write the results of every shard: the same rows, with ids that are spread over all of them."""
    words = {name: WordCounts(400, dict.fromkeys(NLI_LABELS, 1), 500, {}, 400, 500) for name in WORD_CLASSES}
    counts = {name: asdict(of_class) for name, of_class in words.items()}
    rows = shard_tables(run)
    for number in range(run.shards):
        key = sha256_of_json(number)[:32]
        tagged = write_shard(run.work / TAGGED_FOLDER, key, pa.table({"id": [key]}))
        run.notes.write(TAG, number, {"shard": tagged}, words=counts)
        ids = sorted(sha256_of_json([number, nth])[:16] for nth in range(SEEDS_PER_SHARD))
        tables = [with_ids(table, ids) for table in rows]
        *made, standalone = (
            write_shard(run.work / name, key, table) for name, table in zip(RESULT_FOLDERS, tables, strict=True)
        )
        run.notes.write(FILTERS, run.samples + number, dict(zip(VariantShard._fields, made, strict=True)))
        if number < run.samples:
            run.notes.write(FILTERS, number, {STANDALONE: standalone})


def shard_tables(run: GenerationRun) -> tuple[pa.Table, ...]:
    """Return the tables of one shard, from the rows of the bundled data set."""
    variants, seeds = (pq.read_table(DATA / config / "test.parquet").to_pylist() for config in (ALL, SEED))
    names, classes = run.inputs.problems.label_names, run.options.classes
    rows = [
        {**row, "subsamples": [subsample for subsample in range(10) if (nth + subsample) % 2]}
        for nth, row in enumerate(islice(cycle(variants), SEEDS_PER_SHARD * VARIANTS_PER_SEED))
    ]
    counts = [{"seed_id": "", "word_class": name, "variants": 40} for name in islice(cycle(classes), SEEDS_PER_SHARD)]
    return (
        pa.Table.from_pylist(rows, features(ALL, names, classes).arrow_schema),
        pa.Table.from_pylist(list(islice(cycle(seeds), SEEDS_PER_SHARD)), features(SEED, names, classes).arrow_schema),
        pa.Table.from_pylist(counts, VARIANT_COUNTS),
        counts_table({}),
        counts_table({}),
    )


def with_ids(table: pa.Table, ids: list[str]) -> pa.Table:
    """Replace the ids of seeds and variants."""
    if "seed_id" not in table.column_names:
        return table
    repeated = [seed for seed in ids for _ in range(table.num_rows // len(ids))]
    table = table.set_column(table.schema.get_field_index("seed_id"), table.schema.field("seed_id"), pa.array(repeated))
    if "variant_id" not in table.column_names:
        return table
    variant_ids = pa.array([f"{seed}-{nth % VARIANTS_PER_SEED}" for nth, seed in enumerate(repeated)])
    index = table.schema.get_field_index("variant_id")
    return table.set_column(index, table.schema.field("variant_id"), variant_ids)


def peak_memory() -> float:
    """Return the peak memory of this process in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


if __name__ == "__main__":
    main()
