"""Rewrite the record and the card for publication: with the repository's id, without paths of this machine."""

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

LICENSE_ID = re.compile(r"[a-z0-9][a-z0-9.+-]*")
"""Pattern of the Hub's license ids."""


def published_record(
    dataset: MergeDataset, *, repo: str, metric: str | None, license_id: str | None
) -> dict[str, bytes]:
    """Return the card and the record to publish. The folder is not changed.

    Args:
        dataset: The data set.
        repo: Its id on the Hub, for the card's examples.
        metric: The id of the metric's Space, or None.
        license_id: The license of the problems, if the record has none.

    Returns:
        Contents by path: the card, `run.json`, and `run.toml` if the folder has one.

    Raises:
        InputError: If no license is known, it is invalid, or it contradicts the record.
    """
    run = copy.deepcopy(dataset.run)
    _set_license(run, dataset.name, license_id)
    run["options"] |= _public_options(run)
    run["published"] = {"dataset": repo, "metric": metric}
    card = render_card(run, dataset.folder).encode()
    run["card"] = hashlib.sha256(card).hexdigest()
    run.pop(OWN_DIGEST, None)  # keep it the last key
    run[OWN_DIGEST] = own_digest(run)
    files = {CARD_FILE: card, RUN_FILE: (json.dumps(run, indent=2, ensure_ascii=False) + "\n").encode()}
    return files | ({RUN_TOML: _run_toml(run)} if (dataset.folder / RUN_TOML).is_file() else {})


def _set_license(run: dict[str, Any], name: str, license_id: str | None) -> None:
    """Write the license into a record that has none.

    Raises:
        InputError: If no license is known, it is invalid, or the record has another one.
    """
    known = licence(run)
    chosen = known if license_id is None else license_id.lower()
    if chosen is None:
        raise InputError(
            f"the license of the problems of {name} is unknown, and it applies to their variants: look it up and pass "
            "it with --license ID, such as --license cc-by-4.0"
        )
    if not LICENSE_ID.fullmatch(chosen):
        raise InputError(f"{chosen!r} is not a license id of the Hub: pass --license ID, such as cc-by-4.0 or other")
    if license_id is None:
        return
    if known is not None and LICENSE_ID.fullmatch(known) and known != chosen:
        raise InputError(f"--license {license_id} contradicts the license of the problems, {known}: leave it out")
    run["options"]["license"] = chosen
    run["source"] = {**run.get("source", {}), "licence": chosen}


def _public_options(run: dict[str, Any]) -> dict[str, Any]:
    """Return the options that may be paths, reduced to the last part of the path."""
    options = run["options"]
    tagger, mlms = options["tagger"], zip(options["mlm"], run["masked_lms"], strict=True)
    return {
        **{name: _public_name(options[name]) for name in ("problems", "seeds_from") if options.get(name) is not None},
        # Only masked LMs from the Hub have a revision; the id of a tagger never has a slash.
        "mlm": [given if mlm["revision"] else mlm["name"] for given, mlm in mlms],
        "tagger": None if tagger is None else Path(tagger).name,
    }


def _public_name(path_or_id: str) -> str:
    return Path(path_or_id).resolve().name if Path(path_or_id).exists() else shown(path_or_id)


def _run_toml(run: dict[str, Any]) -> bytes:
    from generation.options import Options
    from generation.run_file import write_run_file

    return write_run_file(Options(**run["options"])).encode()
