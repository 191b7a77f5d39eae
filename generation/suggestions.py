"""Suggestions per masked LM: every form is asked once, in batches of one length, and the answers are kept on disk."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import TYPE_CHECKING

from tqdm import tqdm

from generation.masked_lms import EncodedForm, Fillers, forms_a_batch
from generation.store import Answer, load, save, shelf

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from generation.forms import Form
    from generation.masked_lms import MaskedLM

FORMS_A_SHARD = 2_048
SECONDS_A_SHARD = 20.0
"""A shard is written when it holds that many forms, or that much work would be lost without it."""


def suggest(forms: Mapping[str, Form], mlm: MaskedLM, work: Path, *, top_k: int) -> dict[str, Answer]:
    """Ask a masked LM for the fillers of every form, or take its stored answers.

    Args:
        forms: The forms by their keys.
        mlm: The masked LM.
        work: The work folder, where answers are stored as they come.
        top_k: How many fillers a form.

    Returns:
        The answers by key: fillers, or why the masked LM could not be asked.

    Raises:
        InputError: Where the work folder cannot be written.
    """
    folder = shelf(work, mlm, top_k)
    answers = load(folder, forms)
    missing = {key: form for key, form in forms.items() if key not in answers}
    fresh: dict[str, Answer] = {}
    saved = time.monotonic()
    try:
        with tqdm(total=len(missing), desc=mlm.name, unit="form", disable=None) as bar:
            for batch in _answered(missing, mlm, top_k):
                fresh |= batch
                bar.update(len(batch))
                if len(fresh) >= FORMS_A_SHARD or time.monotonic() - saved > SECONDS_A_SHARD:
                    save(folder, fresh)
                    answers |= fresh
                    fresh, saved = {}, time.monotonic()
    finally:
        if fresh:
            save(folder, fresh)
    return answers | fresh


def _answered(forms: Mapping[str, Form], mlm: MaskedLM, top_k: int) -> Iterator[dict[str, Answer]]:
    """Yield answers batch by batch: first the forms that cannot be asked, then the others by length."""
    by_length: dict[int, list[tuple[str, EncodedForm]]] = defaultdict(list)
    refused: dict[str, Answer] = {}
    for key, form in forms.items():
        encoded = mlm.encode(form)
        if isinstance(encoded, EncodedForm):
            by_length[len(encoded.ids)].append((key, encoded))
        else:
            refused[key] = encoded
    if refused:
        yield refused
    for length in sorted(by_length):
        of_length = by_length[length]
        size = forms_a_batch(length)
        for first in range(0, len(of_length), size):
            keys, batch = zip(*of_length[first : first + size], strict=True)
            answered: list[Fillers] = mlm.fill(batch, top_k)
            yield dict(zip(keys, answered, strict=True))
