"""The sentences that Extended Pair combines: those of its problems, and clauses that its templates are filled with."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import Annotated

from pydantic import StringConstraints
from spacy.language import Language

from merge_snli.base.errors import InputError
from merge_snli.base.option import require_unique
from merge_snli.pairs.clauses import Clause, is_plain, read_clause
from merge_snli.pairs.lexicon import Entries
from merge_snli.pairs.options import parse_source
from merge_snli.problems.inputs import public_name
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems


@dataclass(frozen=True)
class Sentences:
    """The sentences of one source.

    Attributes:
        name: Its name, as given but without folders.
        digest: Digest of all its problems.
        premises: The different premises of the chosen problems, in their order.
        hypotheses: The different hypotheses.
        pairs: All pairs of the source, also those that were not chosen.
    """

    name: str
    digest: str
    premises: tuple[str, ...]
    hypotheses: tuple[str, ...]
    pairs: frozenset[tuple[str, str]]


def read_sources(problems: Sequence[str]) -> tuple[Sentences, ...]:
    """Read the problems.

    Args:
        problems: Files, folders or Hub ids, each with an optional slice; folders and Hub ids with an optional split.
    """
    if not problems:
        raise InputError("⟦problems⟧ is empty: give one or more files, folders or Hub ids")
    require_unique("problems", problems)
    sources = []
    for given in problems:
        name, split, positions = parse_source(given)
        read = read_problems(ProblemOptions(problems=name, split=split))
        pairs = []
        for problem in read.problems:
            pairs.append((" ".join(problem.premise.split()), " ".join(problem.hypothesis.split())))
        chosen = pairs[positions]
        if not chosen:
            raise InputError(f"⟦problems⟧ {given}: the slice has no problem; {name} has {len(pairs):,}")
        premises, hypotheses = (tuple(dict.fromkeys(texts)) for texts in zip(*chosen, strict=True))
        shown = public_name(name) + given.removeprefix(name)
        sources.append(Sentences(shown, read.digest, premises, hypotheses, frozenset(pairs)))
    return tuple(sources)


EXTENDED_CONJUNCTION = "extended_conjunction"
TEMPLATES = "extended_pair.toml"
# Sentences that the conjunctions are made of.
SENTENCES = 60

# The supersense of all subjects: what one person does, most other persons can do, but a building cannot.
SUPERSENSE = "person"

# Sentences parsed at once; others are parsed only if these do not give enough.
BATCH_SIZE = 64

Sentence = Annotated[str, StringConstraints(pattern=r"^(\{(s|p|not_p)[12]\}|[ .]| and )+\.$")]


class ExtendedTemplates(Entries):
    """The entries of `extended_pair.toml`: premises and hypotheses by name, and what to leave out."""

    general: frozenset[str]
    excluded: frozenset[str]
    premises: dict[str, Sentence]
    hypotheses: dict[str, Sentence]


def find_clauses(
    sources: Sequence[Sentences], templates: ExtendedTemplates, nlp: Language, seed: int
) -> tuple[Clause, ...]:
    """Return 60 sentences about persons with different subjects, the same number from each source.

    Args:
        sources: The sentences, premises and hypotheses.
        templates: Has the heads of subjects and the words to leave out.
        nlp: A pipeline with parser.
        seed: Seed of the draws.
    """
    clauses: dict[str, Clause] = {}
    for number, source in enumerate(sources):
        before = len(clauses)
        wanted = SENTENCES * (number + 1) // len(sources)
        random = Random(f"{seed}:{EXTENDED_CONJUNCTION}:{number}")
        texts = tuple(dict.fromkeys((*source.premises, *source.hypotheses)))
        within = Counter(chain.from_iterable(text.rstrip(".").split(" ")[1:] for text in texts))
        plain = [text for text in random.sample(texts, len(texts)) if is_plain(text)]
        for doc in nlp.pipe(plain, batch_size=BATCH_SIZE):
            if len(clauses) == wanted:
                break
            clause = read_clause(doc, source.name, templates.excluded, within)
            if clause is not None and clause.supersense == SUPERSENSE and clause.head not in templates.general:
                clauses.setdefault(clause.head, clause)
        if len(clauses) < wanted:
            raise InputError(
                f"{source.name} has only {len(clauses) - before} of the {wanted - before} sentences with different "
                "persons as subjects and a verb that can be negated: pass more problems"
            )
    return tuple(clauses.values())
