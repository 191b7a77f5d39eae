"""Measure conditions on the judged variants of all studies: the share of good variants among the kept and the dropped.

    python -m benchmarks.judged_filters --snli snli/test.jsonl --mnli mnli/dev_matched.jsonl

The variants are rebuilt from their ids in `annotation_study.csv`, `filter_study.csv` and `preset_study.csv`. Variants
of problems that are no longer bundled are left out, and a variant in several files counts once.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.filter_trade_off import BUNDLED, FOLDER, POOL, SNLI, STUDY, is_good, percent, read_csv
from generation.filters.conditions import MEN, OTHER_PRONOUNS, WOMEN
from merge_snli.annotation.scores import share
from merge_snli.base.table import Column, Table
from merge_snli.embedded import embedded_path
from merge_snli.models.tagger import find_tagger
from merge_snli.models.wordnet import supersense
from merge_snli.problems.reading import content_id

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

PRESETS = FOLDER / "preset_study.csv"
NEWS = FOLDER / "news_and_encyclopedia.jsonl"
STRICT = "strict"
# Names of the problems in the files of scores, if they are not those of `preset_study.csv`.
SOURCES = {BUNDLED: "bundled", SNLI: "snli"}
INDEFINITE = frozenset({"a", "an"})
DETERMINERS = frozenset({"det", "poss", "nummod"})


@dataclass(frozen=True)
class Judged:
    """A judged variant.

    Attributes:
        sentences: Premise and hypothesis of the seed.
        word_class: The class of the replaced word.
        original: The replaced word.
        replacement: Its replacement.
        good: Whether the annotators found the variant good.
        strict: Whether it is of the sample of the preset `strict`.
    """

    sentences: tuple[str, str]
    word_class: str
    original: str
    replacement: str
    good: bool
    strict: bool

    @property
    def words(self) -> set[str]:
        """The words of the seed in lower case, without the original."""
        return set(re.findall(r"\w+", " ".join(self.sentences).lower())) - {self.original.lower()}

    def with_word(self, word: str) -> tuple[str, str]:
        """Return both sentences with a word in the place of the original."""
        pattern = rf"(?<!\w){re.escape(self.original)}(?!\w)"
        premise, hypothesis = (re.sub(pattern, word, sentence) for sentence in self.sentences)
        return premise, hypothesis


def main() -> None:
    """Print a table of the conditions for all judged variants and for those of `strict`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--snli", type=Path, required=True, metavar="FILE", help="SNLI test as JSON lines")
    parser.add_argument("--mnli", type=Path, required=True, metavar="FILE", help="MultiNLI dev matched as JSON lines")
    arguments = parser.parse_args()
    bundled = embedded_path("demo:problems")
    assert bundled is not None
    judged = read_judged({"snli": arguments.snli, "mnli": arguments.mnli, "news": NEWS, "bundled": bundled})
    strict = [variant for variant in judged if variant.strict]
    for title, variants in (("all", judged), (STRICT, strict)):
        good = [variant.good for variant in variants]
        sys.stdout.write(f"{title}: {len(good)} variants, {sum(good)} good, {good.count(False)} not\n\n")
        sys.stdout.write(effects(variants).markdown() + "\n")


def read_judged(files: Mapping[str, Path]) -> list[Judged]:
    """Return the judged variants, each once.

    Args:
        files: The problems as JSON lines, by the name of the source.
    """
    problems = {}
    for name, path in files.items():
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            seed = row.get("id") or content_id(row["premise"], row["hypothesis"], row["label"])
            problems[name, seed] = row["premise"], row["hypothesis"]
    by_id: dict[tuple[str, str], Judged] = {}
    for row in (*read_csv(POOL), *read_csv(STUDY), *read_csv(PRESETS)):
        source = row.get("source") or SOURCES[row["data_set"]]
        seed, word_class, original, replacement = row["variant_id"].split(":")
        if (source, seed) in problems:
            is_strict = STRICT in row.get("filters", "").split(" and ")
            by_id[source, row["variant_id"]] = Judged(
                problems[source, seed], word_class, original, replacement, is_good(row), is_strict
            )
    return list(by_id.values())


def effects(variants: Sequence[Judged]) -> Table:
    """Return how many variants each condition keeps and drops, with the shares of good ones."""
    rows = []
    for name, drops in CONDITIONS.items():
        dropped = [drops(variant) for variant in variants]
        kept_good = [variant.good for variant, is_dropped in zip(variants, dropped, strict=True) if not is_dropped]
        lost_good = [variant.good for variant, is_dropped in zip(variants, dropped, strict=True) if is_dropped]
        rows.append((name, *_cells(kept_good), *_cells(lost_good)))
    return Table(
        columns=(Column("dropped if", "left"), *map(Column, ("kept", "good (%)", "dropped", "good"))), rows=tuple(rows)
    )


def _cells(good: Sequence[bool]) -> tuple[int, str]:
    return len(good), percent(share(list(good))) if good else ""


def pronoun_of_other_gender(variant: Judged) -> bool:
    """Whether the filter `--pronouns` drops a variant."""
    original, replacement = variant.original.lower(), variant.replacement.lower()
    return any(
        replacement in of_gender and original not in of_gender and pronouns & variant.words
        for of_gender, pronouns in OTHER_PRONOUNS
    )


def noun_of_other_gender(variant: Judged) -> bool:
    """Whether the problem has another noun of the gender that the replacement does not have."""
    original, replacement = variant.original.lower(), variant.replacement.lower()
    return any(
        replacement in own and original not in own and bool(other & variant.words)
        for own, other in ((MEN, WOMEN), (WOMEN, MEN))
    )


def plural_after_article(variant: Judged) -> bool:
    """Whether a plural follows "a" or "an" that belongs to the replacement, or to the noun of an adjective."""
    return any(
        noun.tag_ == "NNS" and _has_article(noun)
        for _, token in _pairs(variant)
        for noun in (token.head if variant.word_class == "adj" else token,)
    )


def substance_after_article(variant: Judged) -> bool:
    """Whether a noun of the supersense `substance` follows "a" or "an"."""
    return variant.word_class == "noun" and any(
        _has_article(token) and supersense(token.text) == "substance" for _, token in _pairs(variant)
    )


def other_determiner(variant: Judged) -> bool:
    """Whether the replacement has a determiner, possessive or number and the original does not, or the reverse."""
    return variant.word_class == "noun" and any(
        len({any(child.dep_ in DETERMINERS for child in token.children) for token in pair}) > 1
        for pair in _pairs(variant)
    )


def other_morphology(variant: Judged) -> bool:
    """Whether the morphology of any token changes."""
    return any(
        [str(token.morph) for token in old] != [str(token.morph) for token in new] for old, new in _parses(variant)
    )


def other_frame(variant: Judged) -> bool:
    """Whether a verb has dependents of other kinds than the original."""
    return variant.word_class == "verb" and any(
        len({tuple(sorted(child.dep_ for child in token.children)) for token in pair}) > 1 for pair in _pairs(variant)
    )


CONDITIONS: Mapping[str, Callable[[Judged], bool]] = {
    "a pronoun of the other gender": pronoun_of_other_gender,
    "a noun of the other gender": noun_of_other_gender,
    'a plural after "a" or "an"': plural_after_article,
    'a substance after "a" or "an"': substance_after_article,
    "a determiner that the original does not have, or the reverse": other_determiner,
    "other morphology of any token": other_morphology,
    "a verb with other dependents": other_frame,
}


def _has_article(token: Token) -> bool:
    return any(child.lower_ in INDEFINITE for child in token.children)


def _parses(variant: Judged) -> Iterable[tuple[Doc, Doc]]:
    words = (variant.with_word(word) for word in (variant.original, variant.replacement))
    return tuple((_parse(old), _parse(new)) for old, new in zip(*words, strict=True))


def _pairs(variant: Judged) -> Iterable[tuple[Token, Token]]:
    """Yield the original and the replacement at each place, if they are single tokens."""
    for old, new in _parses(variant):
        originals = [token for token in old if token.text == variant.original]
        replacements = [token for token in new if token.text == variant.replacement]
        yield from zip(originals, replacements, strict=False)


@cache
def _parse(text: str) -> Any:  # noqa: ANN401 - a document of spaCy
    return _nlp()(text)


@cache
def _nlp() -> Any:  # noqa: ANN401 - a pipeline of spaCy
    return find_tagger(parser=True).nlp


if __name__ == "__main__":
    main()
