"""The record and the card of a run as they are published: with the repository's name, without this machine's paths."""

from __future__ import annotations

import copy
import hashlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generation.run_file import RUN_TOML
from merge_snli.card import licence, render_card
from merge_snli.card.metadata import shown
from merge_snli.dataset import CARD_FILE, OWN_DIGEST, RUN_FILE, own_digest
from merge_snli.errors import InputError

if TYPE_CHECKING:
    from merge_snli.dataset import MergeDataset

LICENCE = re.compile(r"[a-z0-9][a-z0-9.+-]*")
"""How the Hub's ids of licences look."""


def published_record(
    source: MergeDataset, *, repo: str, metric: str | None, license_id: str | None
) -> dict[str, bytes]:
    """Return the card and the record of a data set as its repository holds them; the folder stays as it is.

    Args:
        source: The data set.
        repo: Its id on the Hub, which the card's examples load.
        metric: The id of the metric's Space, where there is one.
        license_id: The licence of the problems, where the record says none.

    Returns:
        Contents by path: card, `run.json`, and `run.toml` where the folder has one.

    Raises:
        InputError: As `_say_licence`: where no licence is known, or one that cannot be.
    """
    run = copy.deepcopy(source.run)
    _say_licence(run, source, license_id)
    run["options"] |= _without_folders(run)
    run["published"] = {"dataset": repo, "metric": metric}
    card = render_card(run, source.folder).encode()
    run["card"] = hashlib.sha256(card).hexdigest()
    run.pop(OWN_DIGEST, None)  # it stands last, behind what publishing adds
    run[OWN_DIGEST] = own_digest(run)
    files = {CARD_FILE: card, RUN_FILE: (json.dumps(run, indent=2, ensure_ascii=False) + "\n").encode()}
    return files | ({RUN_TOML: _run_toml(run)} if (source.folder / RUN_TOML).is_file() else {})


def _say_licence(run: dict[str, Any], source: MergeDataset, license_id: str | None) -> None:
    """Write the licence into a record that has none.

    Raises:
        InputError: Where there is none to write, the record has another one, or it is none that the Hub takes.
    """
    known = licence(run)
    said = known if license_id is None else license_id.lower()
    if said is None:
        raise InputError(
            f"nobody has said under which licence the problems of {source.name} stand, and their variants stand under "
            "it too: find it out, and name it with --license ID, such as --license cc-by-4.0"
        )
    if not LICENCE.fullmatch(said):
        raise InputError(
            f"{said!r} is no licence as the Hub spells them: name it with --license ID, such as cc-by-4.0, or other "
            "where it has terms of its own"
        )
    if license_id is None:
        return
    if known is not None and LICENCE.fullmatch(known) and known != said:
        raise InputError(f"--license is {license_id}, but the problems stand under {known}: leave --license out")
    run["options"]["license"] = said
    run["source"] = {**run.get("source", {}), "licence": said}


def _without_folders(run: dict[str, Any]) -> dict[str, Any]:
    """Return the options that may be paths without the folders of this machine: the last name says enough."""
    options = run["options"]
    tagger, mlms = options["tagger"], zip(options["mlm"], run["masked_lms"], strict=True)
    return {
        **{name: _own_name(options[name]) for name in ("problems", "seeds_from") if options.get(name) is not None},
        # Of a masked LM the record knows whether it was fetched at a revision; no tagger has an id with a slash.
        "mlm": [given if mlm["revision"] else mlm["name"] for given, mlm in mlms],
        "tagger": None if tagger is None else Path(tagger).name,
    }


def _own_name(path_or_id: str) -> str:
    return Path(path_or_id).resolve().name if Path(path_or_id).exists() else shown(path_or_id)


def _run_toml(run: dict[str, Any]) -> bytes:
    from generation.options import Options
    from generation.run_file import write_run_file

    return write_run_file(Options(**run["options"])).encode()
