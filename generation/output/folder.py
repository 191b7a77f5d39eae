"""The data set's folder: whole or not there, told from a stranger's, and not made twice."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generation.options import with_defaults
from generation.output.write_data import write_data
from generation.run_file import RUN_TOML, write_run_file
from generation.work.folder import work_folder_of
from merge_snli.card import render_card
from merge_snli.dataset import CARD_FILE, RUN_FILE, MergeDataset, find_dataset
from merge_snli.errors import InputError
from merge_snli.files import disk_errors_as_input_errors, sha256_of_file, write_bytes, write_text
from merge_snli.record import Inputs, encode_record, inputs_of, sealed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generation.output.record import Run, RunInputs
    from generation.variants.variant_shards import VariantShard


def usable_out(out: Path) -> Path:
    """Return the place for a data set, after refusing one that holds something that no run made.

    Args:
        out: The folder that the data set is to stand in.

    Raises:
        InputError: Where it is a file or within one, or a folder with other content.
    """
    out = out.expanduser()
    if not out.name or out.is_symlink():
        out = out.resolve()
    there = next((place for place in (out, *out.parents) if place.exists()), out)
    if there.exists() and not there.is_dir():
        raise InputError(f"--out {out}: {there} is a file: name a folder")
    if out.is_dir() and any(out.iterdir()):
        if not (out / RUN_FILE).is_file():
            raise InputError(
                f"--out {out} holds files that no run made (it has no {RUN_FILE}): name a new or empty folder"
            )
        find_dataset(str(out))
    return out


def finished(out: Path, sources: RunInputs, *, overwrite: bool) -> MergeDataset | None:
    """Return the data set at `out` if it is what a run from `sources` would make.

    Args:
        out: The data set's folder.
        sources: All that the rows depend on.
        overwrite: Whether the data set of other choices may be replaced.

    Raises:
        InputError: Where another run's data set stands there and `overwrite` is false.
    """
    if not (out / RUN_FILE).is_file():
        return None
    there = find_dataset(str(out))
    wanted, found = _comparable(sources.recorded()), _comparable(inputs_of(there.record))
    differing = [name for name, value in wanted.items() if found.get(name) != value]
    if not differing:
        return there if _is_whole(there) else None
    if not overwrite:
        raise InputError(
            f"--out {out} holds the data set of another run, which differs in {', '.join(differing)}: name another "
            "folder, or replace it with --overwrite"
        )
    return None


def _comparable(inputs: Inputs) -> dict[str, Any]:
    """Return what two runs must share to give the same data set, by name: options, and digests of files."""
    by_digest = {"problems", "mlm", "tagger", "device", "seeds_from"}
    options = {name: value for name, value in with_defaults(inputs.options).items() if name not in by_digest}
    return options | {name: value for name, value in vars(inputs).items() if name != "options"}


def _is_whole(there: MergeDataset) -> bool:
    files = {**there.record.data.files, CARD_FILE: there.record.card}
    return all(
        (there.folder / name).is_file() and sha256_of_file(there.folder / name) == digest
        for name, digest in files.items()
    )


def write_output(out: Path, results: Sequence[VariantShard], run: Run) -> MergeDataset:
    """Write the data, the card and the record, and put them in place together.

    Args:
        out: The data set's folder; everything is made ready in `OUT.work/`, which is on the same disk.
        results: What came of each shard.
        run: What the run records.

    Returns:
        The data set.

    Raises:
        InputError: Where the disk is full or may not be written; `out` is as it was then.
    """
    staged = work_folder_of(out) / "staged"
    options, labels = run.sources.options, run.sources.problems.label_names
    with disk_errors_as_input_errors(out):
        shutil.rmtree(staged, ignore_errors=True)
        staged.mkdir(parents=True)
        variants, seeds = [each.variants for each in results], [each.seeds for each in results]
        written = write_data(staged, variants, seeds, options, labels)
        record = run.recorded(written)
        card = render_card(record, staged).encode()
        write_bytes(staged / CARD_FILE, card)
        write_text(staged / RUN_TOML, write_run_file(options))
        write_bytes(staged / RUN_FILE, encode_record(sealed(record, card)))
        _put_in_place(staged, out)
    return find_dataset(str(out))


def _put_in_place(staged: Path, out: Path) -> None:
    """Move what was staged to `out`, or leave `out` as it was where that does not end well.

    The record comes last: killed before that, `out` has files that its record does not know, and is made again.
    """
    if not out.exists() or not any(out.iterdir()):
        out.parent.mkdir(parents=True, exist_ok=True)
        staged.replace(out)
        return
    replaced = staged.with_name("replaced")
    shutil.rmtree(replaced, ignore_errors=True)
    replaced.mkdir()
    moved: list[tuple[Path, Path]] = []
    try:
        for name in ("data", CARD_FILE, RUN_TOML):
            for source, target in ((out / name, replaced / name), (staged / name, out / name)):
                if source.exists():
                    source.rename(target)
                    moved.append((source, target))
        (staged / RUN_FILE).replace(out / RUN_FILE)
    except BaseException:
        for source, target in reversed(moved):
            target.rename(source)
        raise
    shutil.rmtree(replaced)
    shutil.rmtree(staged)
