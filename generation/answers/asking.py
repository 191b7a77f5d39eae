"""Suggestions per masked LM: every form is asked once, in batches of one length, and the answers are kept on disk."""

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

FORMS_AT_ONCE = 32_768
"""So many forms are sorted by length together: enough that nearly all batches are full, and little memory."""

FORMS_PER_SHARD = 2_048
SECONDS_PER_SHARD = 20.0
"""A shard is written when it holds that many forms, or that much work would be lost without it."""


def count_missing(shards: Iterable[Mapping[str, Form]], stores: Mapping[str, Store]) -> Counter[str]:
    """Count the forms that have no stored answer yet.

    Args:
        shards: The forms of each shard by their keys.
        stores: The stores by masked LM.

    Returns:
        By masked LM; a form that several shards have counts in each.
    """
    missing: Counter[str] = Counter()
    for forms in shards:
        for name, store in stores.items():
            missing[name] += len(store.missing(forms))
    return missing


def suggest(
    shards: Iterable[Mapping[str, Form]], source: ResolvedModel, store: Store, options: Options, stage: Stage
) -> Vocabulary:
    """Ask a masked LM for the fillers of every form that has no stored answer; it is loaded where there is one.

    Args:
        shards: The forms of each shard by their keys.
        source: The masked LM.
        store: Where its answers are kept as they come.
        options: `top_k` and how the masked LM runs are read.
        stage: Counts the forms as they are answered.

    Returns:
        The masked LM's vocabulary, which says what its answers stand for.

    Raises:
        InputError: Where the masked LM cannot be loaded or the work folder cannot be written.
    """
    mlm: MaskedLM | None = None
    for forms in _missing(shards, store):
        mlm = mlm or load_masked_lm(source, device=options.device, dtype=options.dtype)
        ask(forms, mlm, store, options, stage)
    if mlm is None and (pieces := store.pieces()) is not None:
        return load_vocabulary(source, pieces)
    mlm = mlm or load_masked_lm(source, device=options.device, dtype=options.dtype)
    store.describe(len(mlm.vocabulary.pieces))
    return mlm.vocabulary


def _missing(shards: Iterable[Mapping[str, Form]], store: Store) -> Iterator[dict[str, Form]]:
    """Yield the forms without an answer, about `FORMS_AT_ONCE` at a time."""
    missing: dict[str, Form] = {}
    for forms in shards:
        missing |= {key: forms[key] for key in sorted(store.missing(forms))}
        if len(missing) >= FORMS_AT_ONCE:
            yield missing
            missing = {}
    if missing:
        yield missing


def ask(forms: Mapping[str, Form], mlm: MaskedLM, store: Store, options: Options, stage: Stage) -> None:
    """Ask a masked LM for the fillers of some forms, and store them as they come.

    Args:
        forms: The forms by their keys, none of which has an answer yet.
        mlm: The masked LM.
        store: Where its answers are kept.
        options: `top_k` and `split_words` are read.
        stage: Counts the forms as they are answered.

    Raises:
        InputError: Where the work folder cannot be written; what was stored before is kept.
    """
    fresh: dict[str, Answer] = {}
    saved = time.monotonic()
    try:
        for batch in mlm.answers(forms, options.top_k, split_words=options.split_words):
            fresh |= batch
            stage.advance(len(batch))
            if len(fresh) >= FORMS_PER_SHARD or time.monotonic() - saved > SECONDS_PER_SHARD:
                store.save(fresh)
                fresh, saved = {}, time.monotonic()
    finally:
        if fresh:
            store.save(fresh)
