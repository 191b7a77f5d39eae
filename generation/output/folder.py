"""The folder of a data set: recognize a finished run, check that a run has seeds, and write its files."""

import logging
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from generation.options import Options, with_defaults
from generation.output.record import make_record
from generation.output.write_data import write_data
from generation.presets import RUN_TOML, write_run_file
from generation.run import RunInputs
from generation.variant_shards import VariantShard
from generation.work import work_folder_of
from merge_snli.base.errors import InputError, param
from merge_snli.base.files import disk_errors_as_input_errors, sha256_of_file
from merge_snli.card import load_name_of
from merge_snli.card.dataset_folder import data_record, write_dataset
from merge_snli.dataset.record import WordCounts, inputs_of
from merge_snli.dataset.stored import CARD_FILE, RUN_FILE, MergeDataset, find_dataset

logger = logging.getLogger(__name__)


def require_words(words: Mapping[str, WordCounts], options: Options) -> None:
    """Check that any word can be replaced.

    Args:
        words: Shared words of all problems, from `record.count_words`.
        options: Only `problems` and `classes` are read.
    """
    if not any(words[name].words_after for name in options.classes):
        raise InputError(
            f"the two texts share no {' or '.join(options.classes)} in any problem of {options.problems}: "
            f"pass other problems or more {param('classes')}"
        )


def require_seeds(most: Mapping[str, int], options: Options) -> None:
    """Check that any problem has enough variants, and warn about classes in which none has.

    Args:
        most: Largest number of variants of a problem, by word class.
        options: Only `problems`, `classes` and `inflation` are read.
    """
    best = max(most.get(name, 0) for name in options.classes)
    if best < options.inflation:
        raise InputError(
            f"no problem of {options.problems} has {options.inflation} variants in a word class (maximum: {best}): "
            f"pass more problems or masked LMs, or a lower {param('inflation')}{f', such as {best}' if best else ''}"
        )
    for name in options.classes:
        if most.get(name, 0) < options.inflation:
            logger.warning(
                "skipping config %s: no problem has %d %s variants (maximum: %d)",
                name,
                options.inflation,
                name,
                most.get(name, 0),
            )


def find_finished(out: Path, inputs: RunInputs, *, overwrite: bool) -> MergeDataset | None:
    """Return the data set in `out` if it is complete and was generated from the same inputs, else None.

    Args:
        out: The data set's folder.
        inputs: Everything that the rows depend on.
        overwrite: Whether a data set from other inputs may be replaced.
    """
    if not (out / RUN_FILE).is_file():
        return None
    dataset = find_dataset(str(out))
    if dataset.record.generation is None:
        difference = f"made by merge-snli {dataset.record.command}"
    else:
        expected, recorded = _comparable(inputs.as_json()), _comparable(inputs_of(dataset.record))
        differing = [name for name, value in expected.items() if recorded.get(name) != value]
        if not differing:
            return dataset if _is_complete(dataset) else None
        difference = f"that differs from this run in {', '.join(differing)}"
    if overwrite:
        return None
    raise InputError(
        f"{param('out')} {out} has a data set {difference}: pass another folder, or add {param('overwrite', True)} to "
        "replace it"
    )


def _comparable(inputs: dict[str, Any]) -> dict[str, Any]:
    """Return what two runs share if they give the same data set: options by name, and digests of their inputs."""
    by_digest = {"problems", "mlm", "tagger", "device", "seeds_from"}
    options = {name: value for name, value in with_defaults(inputs["options"]).items() if name not in by_digest}
    problems = [*(source["digest"] for source in inputs["sources"]), inputs["problems"], inputs["label_names"]]
    return options | inputs | {"problems": problems} | dict.fromkeys(("options", "sources", "label_names"))


def _is_complete(dataset: MergeDataset) -> bool:
    digests = {**dataset.record.data.files, CARD_FILE: dataset.record.card}
    paths = {dataset.folder / name: digest for name, digest in digests.items()}
    return all(path.is_file() and sha256_of_file(path) == digest for path, digest in paths.items())


def write_output(
    out: Path, inputs: RunInputs, device: str, words: Mapping[str, WordCounts], results: Sequence[VariantShard]
) -> MergeDataset:
    """Write data, card and record to `OUT.work/`, then move them to `out` together.

    Args:
        out: The data set's folder.
        inputs: Everything that the rows depend on.
        device: The kind of device that the masked LMs ran on.
        words: Shared words by word class.
        results: The results of each shard.

    Returns:
        The data set.
    """
    staged = work_folder_of(out) / "staged"
    options = inputs.options
    with disk_errors_as_input_errors(out):
        shutil.rmtree(staged, ignore_errors=True)
        staged.mkdir(parents=True)
        variants, seeds = [result.variants for result in results], [result.seeds for result in results]
        configs = write_data(staged, variants, seeds, options, inputs.problems.label_names)
        data = data_record(staged, configs)
        record = make_record(inputs, device, words, results, configs, data, load_name_of(out))
        return write_dataset(staged, out, record, {RUN_TOML: write_run_file(options).encode()})
