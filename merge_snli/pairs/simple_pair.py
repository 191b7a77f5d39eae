"""Make Simple Pair: neutral pairs of simple sentences and conjunctions, and pairs of all labels to train on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from merge_snli.dataset.record import SourceRecord
from merge_snli.pairs.output import check_folder, write_pairs
from merge_snli.pairs.simple_pair_options import SimplePairOptions, read_material
from merge_snli.pairs.simple_pair_rows import simple_pair_rows
from merge_snli.pairs.simple_pair_texts import COMMAND, DESCRIPTIONS, TEXTS, pair_config

if TYPE_CHECKING:
    from pathlib import Path

    from merge_snli.dataset.stored import MergeDataset
    from merge_snli.pairs.output import PairConfig


def make_simple_pair(
    out: str | Path, options: SimplePairOptions | None = None, *, overwrite: bool = False
) -> MergeDataset:
    """Make Simple Pair in a folder.

    Args:
        out: The folder. `load_dataset("simple_pair", CONFIG)` needs it to be named `simple_pair`.
        options: The options.
        overwrite: Replace a data set in the folder that was made with other options.

    Raises:
        InputError: If the folder has other content, words or templates are invalid, or there are too few words.
    """
    options = SimplePairOptions() if options is None else options
    folder = check_folder(out, options.as_dict(), COMMAND, overwrite=overwrite)
    configs, sources = simple_pair_configs(options)
    return write_pairs(folder, TEXTS, options.as_dict(), sources, configs)


def simple_pair_configs(options: SimplePairOptions) -> tuple[dict[str, PairConfig], tuple[SourceRecord, ...]]:
    """Return the rows of every config, and what they were made from; raises as `make_simple_pair`."""
    material = read_material(options)
    rows = simple_pair_rows(options, material)
    sources = tuple(SourceRecord(name, digest) for name, digest in material.digests.items())
    return {name: pair_config(name, rows[name]) for name in DESCRIPTIONS}, sources
