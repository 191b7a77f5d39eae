"""The templates of Extended Pair, and the sentences that its conjunctions are made of."""

from __future__ import annotations

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
    """Return 60 sentences with different subjects, the same number from each source.

    Args:
        sources: The sentences, of which the premises are used.
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
        plain = [text for text in random.sample(source.premises, len(source.premises)) if is_plain(text)]
        heads = templates.general.union(clause.head for clause in found)
        clauses = (read_clause(doc, source.name, templates.excluded) for doc in nlp.pipe(plain, batch_size=BATCH_SIZE))
        of_source = list(islice(_with_new_heads(clauses, heads), needed))
        if len(of_source) < needed:
            raise InputError(
                f"{source.name} has only {len(of_source)} of the {needed} sentences with different nouns as subjects "
                "and a verb that can be negated: pass more problems"
            )
        found += of_source
    return tuple(found)


def _with_new_heads(clauses: Iterable[Clause | None], heads: frozenset[str]) -> Iterator[Clause]:
    """Yield the clauses whose head is none of `heads` and of no clause before."""
    seen = set(heads)
    for clause in clauses:
        if clause is not None and clause.head not in seen:
            seen.add(clause.head)
            yield clause
