"""The templates of Extended Pair, and the sentences that its conjunctions are made of."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated

from pydantic import StringConstraints

from merge_snli.base.errors import InputError
from merge_snli.pairs.clauses import is_plain, read_clause
from merge_snli.pairs.toml_files import Entries, read_entries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spacy.language import Language

    from merge_snli.pairs.clauses import Clause
    from merge_snli.pairs.extended_sources import Sentences

EXTENDED_CONJUNCTION = "extended_conjunction"
TEMPLATES = "extended_pair.toml"
SENTENCES = 60
"""Sentences that the conjunctions are made of."""

SUPERSENSE = "person"
"""The supersense of all subjects: what one person does, most other persons can do, but a building cannot."""

BATCH_SIZE = 64
"""Sentences parsed at once; others are parsed only if these do not give enough."""

Sentence = Annotated[str, StringConstraints(pattern=r"^(\{(s|p|not_p)[12]\}|[ .]| and )+\.$")]


class ExtendedTemplates(Entries):
    """The entries of `extended_pair.toml`: premises and hypotheses by name, and what to leave out."""

    general: frozenset[str]
    excluded: frozenset[str]
    premises: dict[str, Sentence]
    hypotheses: dict[str, Sentence]


def read_extended_templates(folder: Path) -> ExtendedTemplates:
    """Read the templates of a folder; raises as `merge_snli.pairs.toml_files.read_entries`."""
    return read_entries(folder / TEMPLATES, ExtendedTemplates)


def find_clauses(
    sources: Sequence[Sentences], templates: ExtendedTemplates, nlp: Language, seed: int
) -> tuple[Clause, ...]:
    """Return 60 sentences about persons with different subjects, the same number from each source.

    Args:
        sources: The sentences, premises and hypotheses.
        templates: Has the heads of subjects and the words to leave out.
        nlp: A pipeline with parser.
        seed: Seed of the draws.

    Raises:
        InputError: If a source has too few sentences that can be split and negated.
    """
    found: list[Clause] = []
    for number, source in enumerate(sources):
        needed = SENTENCES * (number + 1) // len(sources) - SENTENCES * number // len(sources)
        random = Random(f"{seed}:{EXTENDED_CONJUNCTION}:{number}")
        texts = tuple(dict.fromkeys((*source.premises, *source.hypotheses)))
        plain = [text for text in random.sample(texts, len(texts)) if is_plain(text)]
        heads = templates.general.union(clause.head for clause in found)
        counts = _counts_within(source)
        docs = nlp.pipe(plain, batch_size=BATCH_SIZE)
        clauses = (read_clause(doc, source.name, templates.excluded, counts) for doc in docs)
        of_source = list(islice(_with_new_heads(clauses, heads), needed))
        if len(of_source) < needed:
            raise InputError(
                f"{source.name} has only {len(of_source)} of the {needed} sentences with different persons as subjects "
                "and a verb that can be negated: pass more problems"
            )
        found += of_source
    return tuple(found)


def _counts_within(source: Sentences) -> Counter[str]:
    """Count the words within the sentences of a source, which show whether a word is a name."""
    texts = (*source.premises, *source.hypotheses)
    return Counter(word for text in texts for word in text.rstrip(".").split(" ")[1:])


def _with_new_heads(clauses: Iterable[Clause | None], heads: frozenset[str]) -> Iterator[Clause]:
    """Yield the clauses about persons whose head is none of `heads` and of no clause before."""
    seen = set(heads)
    for clause in clauses:
        if clause is not None and clause.supersense == SUPERSENSE and clause.head not in seen:
            seen.add(clause.head)
            yield clause
