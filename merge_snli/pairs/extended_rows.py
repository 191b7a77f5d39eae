"""The rows of Extended Pair (Luo et al. 2022, section 2.2.2)."""

from __future__ import annotations

import re
from itertools import cycle, islice
from random import Random
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError, param
from merge_snli.dataset.label_spellings import NEUTRAL
from merge_snli.pairs.clauses import stop_words
from merge_snli.pairs.extended_sentences import EXTENDED_CONJUNCTION
from merge_snli.pairs.pair_templates import capitalized

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from merge_snli.pairs.clauses import Clause
    from merge_snli.pairs.extended_sentences import ExtendedTemplates, Sentences
    from merge_snli.pairs.output import Row

EXTENDED_SIMPLE = "extended_simple"
HYPOTHESES = 3
MAX_DRAWS = 1_000
WORD = re.compile(r"[^\W\d_]+")


def extended_simple_rows(sources: Sequence[Sentences], premises: int, seed: int) -> Iterator[Row]:
    """Yield premises in turn from each source, each with three hypotheses drawn in turn from each source.

    A drawn pair is no pair of a source, and its sentences share no word other than function words.

    Args:
        sources: The sentences.
        premises: Number of premises.
        seed: Seed of the draws.

    Raises:
        InputError: If a source has too few premises, or no hypothesis fits a premise.
    """
    random = Random(f"{seed}:{EXTENDED_SIMPLE}")
    originals = frozenset[tuple[str, str]]().union(*(source.pairs for source in sources))
    drawn = [iter(random.sample(source.premises, len(source.premises))) for source in sources]
    used: set[str] = set()
    for number in range(premises):
        of = number % len(sources)
        premise = next((text for text in drawn[of] if text not in used), None)
        if premise is None:
            raise InputError(
                f"{param('premises')} is {premises:,}, but {sources[of].name} has only {number // len(sources):,} "
                "different premises for its share: pass a smaller number or more problems"
            )
        used.add(premise)
        hypotheses: list[str] = []
        for nth, source in enumerate(islice(cycle(sources), of, of + HYPOTHESES)):
            hypotheses.append(_draw_hypothesis(premise, source, originals, hypotheses, random))
            yield {
                "pair_id": f"{EXTENDED_SIMPLE}-{number:05}:{nth}",
                "group_id": f"{EXTENDED_SIMPLE}-{number:05}",
                "premise": premise,
                "hypothesis": hypotheses[-1],
                "label": NEUTRAL,
                "template": "sentence",
                "hypothesis_template": "random_sentence",
                "premise_source": sources[of].name,
                "hypothesis_source": source.name,
            }


def _draw_hypothesis(
    premise: str, source: Sentences, originals: frozenset[tuple[str, str]], used: Sequence[str], random: Random
) -> str:
    words = _words(premise)
    for _ in range(MAX_DRAWS):
        text = random.choice(source.hypotheses)
        if text not in used and (premise, text) not in originals and not words & _words(text):
            return text
    raise InputError(f"{source.name} has too few hypotheses without a word of {premise!r}: pass more problems")


def _words(text: str) -> frozenset[str]:
    """Return the words of a text in lower case, without function words and the plural's s."""
    return frozenset(word.removesuffix("s") for word in WORD.findall(text.lower()) if word not in stop_words())


def extended_conjunction_rows(
    clauses: Sequence[Clause], templates: ExtendedTemplates, premises: int, seed: int
) -> Iterator[Row]:
    """Yield premises of two sentences, and hypotheses that combine the subject of one with the predicate of the other.

    The two sentences are from one source, so that most subjects go with most predicates. Their subjects agree in
    number, and they share no word other than function words.

    Args:
        clauses: The sentences.
        templates: The templates.
        premises: Premises per template.
        seed: Seed of the draws.

    Raises:
        InputError: If there are too few pairs of sentences that go together.
    """
    pairs = [(first, second) for first in clauses for second in clauses if _go_together(first, second)]
    if len(pairs) < premises:
        raise InputError(
            f"{param('premises')} is too large: {premises:,} conjunctions per template are needed, and the drawn "
            f"sentences give only {len(pairs):,}: pass a smaller number"
        )
    for name, template in templates.premises.items():
        drawn = Random(f"{seed}:{EXTENDED_CONJUNCTION}:{name}").sample(pairs, len(pairs))[:premises]
        for number, (first, second) in enumerate(drawn):
            group = f"{EXTENDED_CONJUNCTION}-{name}-{number:05}"
            slots = {"s1": first.subject, "p1": first.predicate, "not_p1": first.negated}
            slots |= {"s2": second.subject, "p2": second.predicate, "not_p2": second.negated}
            for hypothesis, text in templates.hypotheses.items():
                yield {
                    "pair_id": f"{group}:{hypothesis}",
                    "group_id": group,
                    "premise": capitalized(template.format_map(slots)),
                    "hypothesis": capitalized(text.format_map(slots)),
                    "label": NEUTRAL,
                    "template": name,
                    "hypothesis_template": hypothesis,
                    "source1": first.source,
                    "source2": second.source,
                    **{slot: value for slot, value in slots.items() if not slot.startswith("not")},
                }


def _go_together(first: Clause, second: Clause) -> bool:
    is_alike = (first.source, first.is_plural) == (second.source, second.is_plural)
    return is_alike and not first.words & second.words
