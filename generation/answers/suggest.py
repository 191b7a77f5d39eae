"""Compute the fillers of every form that has no stored answer, and store them as they come."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING

from generation.answers.answer import Answer
from generation.masked_lms.loading import load_masked_lm, load_vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from generation.answers.store import Store
    from generation.masked_lms.masked_lm import MaskedLM
    from generation.masked_lms.vocabulary import Vocabulary
    from generation.options import Options
    from generation.sentences.forms import Form
    from merge_snli.inference.models import ResolvedModel
    from merge_snli.progress import Stage

FORMS_PER_CHUNK = 32_768
"""Number of forms that are sorted by length together: enough to fill nearly all batches, in little memory."""

FORMS_PER_SHARD = 2_048
SECONDS_PER_SHARD = 20.0
"""A shard is written when it has this many forms, or after this many seconds of work."""


def count_missing(shards: Iterable[Mapping[str, Form]], stores: Mapping[str, Store]) -> Counter[str]:
    """Count the forms that have no stored answer, for each masked LM.

    Args:
        shards: The forms of each shard, by key.
        stores: The stores, by masked LM.

    Returns:
        Counts by masked LM; a form in several shards counts once per shard.
    """
    missing: Counter[str] = Counter()
    for forms in shards:
        for name, store in stores.items():
            missing[name] += len(store.missing(forms))
    return missing


def suggest(
    shards: Iterable[Mapping[str, Form]], model: ResolvedModel, store: Store, options: Options, stage: Stage
) -> Vocabulary:
    """Compute and store the fillers of every form that has no stored answer.

    The masked LM is loaded only if there is such a form.

    Args:
        shards: The forms of each shard, by key.
        model: The masked LM.
        store: Its answers.
        options: `top_k`, `split_words`, `device` and `dtype` are used.
        stage: Progress, in forms.

    Returns:
        The masked LM's vocabulary.

    Raises:
        InputError: If the masked LM cannot be loaded or the work folder is not writable.
    """
    mlm: MaskedLM | None = None
    for forms in _missing(shards, store):
        mlm = mlm or load_masked_lm(model, device=options.device, dtype=options.dtype)
        answer_forms(forms, mlm, store, options, stage)
    if mlm is None and (vocabulary_size := store.vocabulary_size()) is not None:
        return load_vocabulary(model, vocabulary_size)
    mlm = mlm or load_masked_lm(model, device=options.device, dtype=options.dtype)
    store.describe(len(mlm.vocabulary.pieces))
    return mlm.vocabulary


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
