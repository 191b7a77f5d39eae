"""Compute the fillers of every form that has no stored answer, and store them as they come."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from generation.answers.answer import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from generation.answers.store import Store
    from generation.masked_lms.masked_lm import MaskedLM
    from generation.options import Options
    from generation.sentences.forms import Form
    from merge_snli.base.progress import Stage

FORMS_PER_CHUNK = 32_768
"""Number of forms that are sorted by length together: enough to fill nearly all batches, in little memory."""

FORMS_PER_SHARD = 2_048
SECONDS_PER_SHARD = 20.0
"""A shard is written when it has this many forms, or after this many seconds of work."""


def suggest(
    shards: Iterable[Mapping[str, Form]], load: Callable[[], MaskedLM], store: Store, options: Options, stage: Stage
) -> None:
    """Compute and store the fillers of every form that has no stored answer.

    Args:
        shards: The forms of each shard, by key.
        load: Loads the masked LM; called only if there is such a form, or the size of its vocabulary is not known.
        store: Its answers.
        options: `top_k` and `split_words` are used.
        stage: Progress, in forms.

    Raises:
        InputError: If the masked LM cannot be loaded or the work folder is not writable.
    """
    mlm: MaskedLM | None = None
    for forms in _missing(shards, store):
        mlm = mlm or load()
        answer_forms(forms, mlm, store, options, stage)
    if mlm is not None or store.vocabulary_size() is None:
        store.describe(len((mlm or load()).vocabulary.pieces))


def _missing(shards: Iterable[Mapping[str, Form]], store: Store) -> Iterator[dict[str, Form]]:
    """Yield the forms without an answer, in chunks of about `FORMS_PER_CHUNK`."""
    missing: dict[str, Form] = {}
    for forms in shards:
        missing |= {key: forms[key] for key in sorted(store.missing(forms))}
        if len(missing) >= FORMS_PER_CHUNK:
            yield missing
            missing = {}
    if missing:
        yield missing


def answer_forms(forms: Mapping[str, Form], mlm: MaskedLM, store: Store, options: Options, stage: Stage) -> None:
    """Compute the fillers of forms, and store them as they come.

    Args:
        forms: Forms without an answer, by key.
        mlm: The masked LM.
        store: Its answers.
        options: `top_k` and `split_words` are used.
        stage: Progress, in forms.

    Raises:
        InputError: If the work folder is not writable; answers already stored are kept.
    """
    unsaved: dict[str, Answer] = {}
    saved_at = time.monotonic()
    try:
        for batch in mlm.answers(forms, options.top_k, split_words=options.split_words):
            unsaved |= batch
            stage.advance(len(batch))
            if len(unsaved) >= FORMS_PER_SHARD or time.monotonic() - saved_at > SECONDS_PER_SHARD:
                store.save(unsaved)
                unsaved, saved_at = {}, time.monotonic()
    finally:
        if unsaved:
            store.save(unsaved)
