"""Worked examples from the papers, and one for each rule of `docs/method.md`.

The masked LMs are scripted: each predicts the same ranking at every mask, with log-probabilities that decrease by a
fixed step. The expected variants are listed with each problem; word classes in context are those of the tagger.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tokenizers import Tokenizer

from merge_snli.schema import ALL, WORD_CLASSES
from tests.cases import slow
from tests.oracles import refused
from tests.reference import comparison, scripted
from tests.reference.comparison import Problem, Row

Words = Mapping[tuple[str, str], set[str]]
"""Class and original -> replacements."""

OTHER_WORDS = ("a", "is", "an", "and", "two", "there", "of")


class Example(NamedTuple):
    """A problem, the expected replacements, and expected columns of some of its variants by replacement."""

    premise: str
    hypothesis: str
    variants: Words
    columns: Mapping[str, Mapping[str, Any]] = {}


class Ranking(NamedTuple):
    """A scripted masked LM."""

    make: Callable[[Sequence[str]], Tokenizer]
    pieces: Sequence[str]
    step: float = 0.5


class Case(NamedTuple):
    """Masked LMs by name, problems, and changes of the options."""

    mlms: Mapping[str, Ranking]
    examples: Sequence[Example]
    changes: Mapping[str, Any] = {}


def uncased(pieces: Sequence[str]) -> Tokenizer:
    return scripted.wordpiece(sorted(set(pieces)), lowercase=True)


def cased(pieces: Sequence[str]) -> Tokenizer:
    return scripted.wordpiece(sorted(set(pieces)), lowercase=False)


def rows_of_problems(
    folder: Path,
    problems: Sequence[tuple[str, str]],
    mlms: Mapping[str, Ranking],
    **changes: Any,  # noqa: ANN401 - values of any option
) -> list[Row]:
    """Return the variants that the pipeline generates for these problems."""
    folders = [
        str(scripted.save(folder / name, make([*pieces, *OTHER_WORDS]), pieces, step=step))
        for name, (make, pieces, step) in mlms.items()
    ]
    plain = comparison.options_for([Problem(*problem) for problem in problems], folder, folders)
    return comparison.rows_of(comparison.run_pipeline(replace(plain, **changes), folder), ALL)


def log_odds(value: float) -> dict[str, Any]:
    return {"log_odds": pytest.approx(value, abs=1e-4)}


def validated_by(*names: str) -> dict[str, Any]:
    return {"premise_mlms": [*names], "hypothesis_mlms": [*names]}


# Pieces that are not words, then words of each class, then the originals, then less probable words.
UNCASED = (
    *("the", "##s", "un", "never", "x", "2020"),
    *("woman", "horses", "teen", "little", "happy"),
    *("girl", "boys", "dogs", "dog", "man", "small", "sing", "swim", "walk", "pup", "##py"),
    *("did", "doctor", "tall", "##es"),
)
NOUNS = {"woman", "horses", "teen"}
FROM_CAT = {("noun", "cat"): NOUNS | {"dog"}}
BOYS = ("A boy is cold.", "The boy sings.")
VETO = {
    "first": Ranking(uncased, ("woman", "horses", "teen", "doctor", "boy", "girl")),
    # The original is more probable than two words, and "horses" is no piece of this vocabulary.
    "second": Ranking(uncased, ("woman", "boy", "teen", "girl", "doctor")),
    # This one splits the original and has no vote.
    "third": Ranking(uncased, ("girl", "b", "##oy")),
}
NEGATIONS = (" never", " nowise", " also", " not", " absent", " happy", " small", " lacking", " wearing", " holding")

CASES: dict[str, Case] = {
    "words of an uncased masked LM": Case(
        {"uncased": Ranking(uncased, UNCASED)},
        (
            # Paper, figure 2. No "teen" for "small": another class. No "girl" for "small" and no "there": words of the
            # problem. Both occurrences of the premise, nothing else of the text; 5 ranks before "girl" in the list.
            Example(
                "A small girl carries a girl.",
                "There is a small girl.",
                {("adj", "small"): {"little", "happy"}, ("noun", "girl"): NOUNS},
                {
                    "woman": {
                        "premise": "A small woman carries a woman.",
                        "hypothesis": "There is a small woman.",
                        **log_odds(2.5),
                        **validated_by("uncased"),
                    }
                },
            ),
            # Paper, section 3: "dogs" for "boys" would change the reasoning.
            Example(
                "Two dogs and three boys swim.",
                "Only three boys swim.",
                {("noun", "boys"): NOUNS | {"girl"}, ("verb", "swim"): {"sing"}},
            ),
            # Different case: "Dogs" would not be replaced.
            Example("Dogs chase dogs in the park.", "Two dogs are in the park.", {}),
            # Negated: "did" in "didn't".
            Example(
                "The man didn't run.",
                "The man did run.",
                {("noun", "man"): NOUNS | {"girl", "boys", "dogs", "dog"}},
            ),
            # "can" is not tagged as a verb; "swim" is not followed by a negation.
            Example("The dog cannot swim.", "The dog is tall.", {("noun", "dog"): NOUNS | {"girl", "boys"}}),
            # "girl" is a form of "girls", and "dogs" of "dog".
            Example("Two girls and a dog swim.", "The dog is tall.", {("noun", "dog"): NOUNS | {"boys"}}),
            # Noun in P, verb in H: not shared.
            Example("Many people walk to a shop.", "A walk is nice.", {}),
            # Noun and verb in P, noun in H: shared, but excluded.
            Example("They walk on a walk.", "A walk is nice.", {}),
            # The possessive is part of the next token.
            Example("The girl's coat is red.", "A girl has a coat.", {("noun", "girl"): NOUNS}),
            # "puppy" is two pieces: no suggestion; "dog" is one.
            Example(
                "The puppy sleeps by a dog.", "A puppy is by the dog.", {("noun", "dog"): NOUNS | {"girl", "boys"}}
            ),
        ),
    ),
    "case of the original": Case(
        {
            "cased": Ranking(
                cased, ("Woman", "woman", "horses", "TEEN", "children", "Children", "boys", "TV", "TVs", "tables")
            )
        },
        (
            # A capital at the start of both sentences; "Woman" and "woman" are one word.
            Example(
                "Children are playing in a park.",
                "Children play outside.",
                {("noun", "Children"): {"Woman", "Horses", "Teen"}},
            ),
            # Here "Children" and "children" are one word, too. "TEEN" is not a piece in lower case. The larger
            # log-probability of the two pieces: "Woman" is first and "boys" is seventh; "children" is fifth.
            Example(
                "Two boys play.",
                "The boys are loud.",
                {("noun", "boys"): {"woman", "horses", "children"}},
                {"woman": log_odds(6 * 0.5), "children": log_odds(2 * 0.5)},
            ),
            # Two capitals within a sentence: only pieces with a capital.
            Example("A man watches a TV.", "A TV is on.", {("noun", "TV"): {"WOMAN", "TEEN", "CHILDREN"}}),
            # None of the patterns: as the piece has it. The tagger takes "Woman" and "TEEN" for names, and "TV" is a
            # form of "TVs".
            Example("Two TVs are on.", "The TVs are new.", {("noun", "TVs"): {"Children"}}),
        ),
    ),
    "case of an original with one letter": Case(
        {"cased": Ranking(cased, ("RED", "WOMAN", "HORSES", "TEACHER", "B2", "3D"))},
        (
            # "B2" is not two letters in capitals: its only letter is one, so that only the suggestion's first is.
            Example(
                "A dog, two boys and a B2.",
                "Two boys, a dog and a B2",
                {("noun", "B2"): {"Woman", "Horses", "Teacher"}},
            ),
            Example("A 3D boy in a 3D cafe", "The 3D boy", {("adj", "3D"): {"Red"}}),
        ),
    ),
    "negations with either apostrophe are rejected": Case(
        {"cased": Ranking(cased, ("DON'T", "DON’T", "Don’t", "never", "Radio", "screen", "TV"))},
        (Example("A TV and two TVs.", "A TV is on.", {("noun", "TV"): {"RADIO"}}),),
    ),
    "a capital is kept within a sentence": Case(
        {"cased": Ranking(cased, ("Young", "old", "Big", "tall", "Tall"))},
        (
            Example('Look! "Tall men are here."', "Tall men sing.", {("adj", "Tall"): {"Young", "Old", "Big"}}),
            Example("A Tall man is here.", "Tall men sing.", {("adj", "Tall"): {"Young", "Big"}}),
        ),
    ),
    "forms of adjectives are words of the problem": Case(
        {"uncased": Ranking(uncased, ("old", "young", "good", "little", "tall"))},
        (
            Example("A tall boy, his elder sister.", "A tall boy.", {("adj", "tall"): {"young", "good", "little"}}),
            Example("A tall boy is better.", "The youngest tall boy.", {("adj", "tall"): {"old", "little"}}),
        ),
    ),
    **{
        f"veto {rank}, {dissents} dissents": Case(
            VETO, (Example(*BOYS, {("noun", "boy"): kept}),), {"veto": rank, "dissents": dissents}
        )
        for rank, dissents, kept in (
            (3, 0, {"woman", "teen"}),
            (3, 1, {"woman", "horses", "teen"}),
            (4, 0, {"woman", "teen"}),
            (5, 0, {"woman", "teen", "doctor"}),
            (1, 0, {"woman"}),
        )
    },
    "a masked LM without a vote": Case(
        {name: VETO[name] for name in ("first", "third")},
        (Example(*BOYS, {("noun", "boy"): {"woman", "horses", "teen", "doctor"}}),),
        {"veto": 4},
    ),
    # "woman" and "teen" have both kinds of pieces, "horses" only a spaced one. "fox" has only a bare one: not a word.
    "pieces with and without a leading space": Case(
        {
            "bpe": Ranking(
                scripted.byte_bpe,
                (" woman", "woman", " horses", "fox", " teen", "teen", " boy", "boy", " doctor", "doctor"),
            )
        },
        (
            Example(*BOYS, {("noun", "boy"): {"woman", "horses", "teen"}}),
            # After a quote the original is a bare piece.
            Example('A "boy" is cold.', 'The "boy" sings.', {("noun", "boy"): {"woman", "teen"}}),
            # All three occurrences count: the first two alone would allow "horses". "teen" is two steps above "boy",
            # "woman" six, with and without a leading space.
            Example(
                'A boy sees a boy and a "boy".',
                "The boy sings.",
                {("noun", "boy"): {"woman", "teen"}},
                {
                    "teen": {"premise": 'A teen sees a teen and a "teen".', **log_odds(2 * 0.5)},
                    "woman": log_odds(6 * 0.5),
                },
            ),
        ),
    ),
    # "dog." is one piece, so "dog" is not a single token before a full stop, including a full stop that was added to
    # the form. The full stop is only added to the form; the sentence itself changes only in the replaced word.
    "full stop after a last word": Case(
        {"sentencepiece": Ranking(scripted.sentencepiece, (" woman", " horses", " teen", " dog", " dog.", " cat"))},
        (
            Example("A man has a dog", "The dog is cold.", {}),
            Example("A man has a dog  ", "The dog is cold.", {}),
            Example("A man has a dog.", "The dog is cold.", {}),
            Example(
                "A man plays with a cat",
                "The cat is cold",
                FROM_CAT,
                {"teen": {"premise": "A man plays with a teen"}},
            ),
            Example(
                "A man plays with a cat ",
                "The man has a cat",
                FROM_CAT,
                {"teen": {"premise": "A man plays with a teen "}},
            ),
        ),
    ),
    # "had" is a piece in "hadn't" too, so only the rule for negations excludes "wasn't".
    "negated verbs": Case(
        {"negated": Ranking(scripted.sentencepiece, (" was", " had"))},
        (
            *(
                Example(premise, "The man had run home.", {})
                for premise in (
                    "The man hadn't run home.",
                    "The man hadn’t run home.",
                    "The man hadnt run home.",
                    # Spaced as in the Penn Treebank.
                    "The man had n't run home.",
                    "The man had n’t run home.",
                )
            ),
            # A separate "not" is not affected by the replacement.
            Example("The man had not run home.", "The man had run home.", {("verb", "had"): {"was"}}),
        ),
    ),
    "negations are neither replaced nor replacements": Case(
        {"negations": Ranking(scripted.byte_bpe, NEGATIONS)},
        (
            # "also" would reverse the label; "absent" and "lacking" would remove what the hypothesis needs.
            Example("A man is not sleeping.", "The man is not awake.", {}),
            Example("A small man.", "The man is small.", {("adj", "small"): {"happy"}}),
            Example("A man is holding a red hat.", "A man is holding a hat.", {("verb", "holding"): {"wearing"}}),
            Example("A man is lacking a red hat.", "A man is lacking a hat.", {}),
        ),
        {"classes": WORD_CLASSES},
    ),
    # " are" and "are" are pieces, so "are" is a whole word in place of the bare piece "'s".
    "parts of words are not replaced": Case(
        {"parts": Ranking(scripted.byte_bpe, ("are", "miles", "cold", " are", " miles", " cold", "'s", "km", " runs"))},
        (
            Example("He's a man.", "He's a boy.", {}),
            Example("A man 5km away", "A boy 5km away", {}),
            Example("A man 's a man.", "A boy runs.", {}),
            Example("A boy runs home.", "A boy runs.", {("verb", "runs"): {"are", "miles", "cold"}}),
        ),
        {"filters": ()},
    ),
    "words of the problem are compared without accents": Case(
        {"accents": Ranking(cased, ("Cafe", "cafe", "café", "woman", "bar"))},
        (
            Example("A café is a bar.", "There is a bar.", {("noun", "bar"): {"woman"}}),
            Example("A cafe\u0301 is a bar.", "There is a bar.", {("noun", "bar"): {"woman"}}),
            Example("A CAFE is a bar.", "There is a bar.", {("noun", "bar"): {"woman"}}),
            Example("A cold bar.", "There is a bar.", {("noun", "bar"): {"woman", "cafe", "café"}}),
        ),
    ),
    # `spaced` has "boy" as one piece after a space only, `bare` after a quote only.
    "union of masked LMs, then intersection of premise and hypothesis": Case(
        {
            "spaced": Ranking(scripted.byte_bpe, (" woman", " teen", " horses", " boy")),
            "bare": Ranking(
                scripted.byte_bpe, ("horses", "woman", "boy", "teen", " horses", " woman", " teen"), step=0.25
            ),
        },
        (
            # P is validated by one masked LM, H by the other. "teen" is less probable than "boy" for `bare`.
            # P: horses 1 step of 0.5, woman 3; H: horses 2 steps of 0.25, woman 1. log_odds is the smaller of the two.
            Example(
                "A boy is cold.",
                'The "boy" sings.',
                {("noun", "boy"): {"woman", "horses"}},
                {
                    "horses": {"premise_mlms": ["spaced"], "hypothesis_mlms": ["bare"], **log_odds(0.5)},
                    "woman": {"premise_mlms": ["spaced"], "hypothesis_mlms": ["bare"], **log_odds(0.25)},
                },
            ),
            # Each occurrence in P is validated by a different masked LM, so none validates both.
            Example('A boy sees a "boy".', "The boy sings.", {}),
        ),
    ),
    "log-odds are the largest of the masked LMs of a sentence": Case(
        {
            "one": Ranking(uncased, ("woman", "teen", "boy")),
            "other": Ranking(uncased, ("teen", "woman", "horses", "boy"), step=0.75),
        },
        (
            Example(
                *BOYS,
                {("noun", "boy"): {"woman", "horses", "teen"}},
                {
                    "woman": {**validated_by("one", "other"), **log_odds(2 * 0.75)},
                    "horses": {**validated_by("other"), **log_odds(0.75)},
                    "teen": {**validated_by("one", "other"), **log_odds(3 * 0.75)},
                },
            ),
        ),
    ),
    "top k counts pieces that are not words": Case(
        {"top": Ranking(uncased, ("##s", "x", "woman", "un", "teen", "boy"))},
        (Example(*BOYS, {("noun", "boy"): {"woman"}}),),
        {"top_k": 4},
    ),
}

FAST = [*CASES][::3]


@pytest.mark.parametrize("name", [*FAST, *slow(*(name for name in CASES if name not in FAST))])
def test_variants_are_those_of_the_rules(name: str, tmp_path: Path) -> None:
    mlms, examples, changes = CASES[name]
    rows = rows_of_problems(tmp_path, [example[:2] for example in examples], mlms, **changes)
    for premise, hypothesis, variants, columns in examples:
        of_problem = [row for row in rows if (row["seed_premise"], row["seed_hypothesis"]) == (premise, hypothesis)]
        replaced: dict[tuple[str, str], list[str]] = {}
        for row in of_problem:
            replaced.setdefault((row["word_class"], row["original"]), []).append(row["replacement"])
        assert replaced == {word: sorted(words) for word, words in variants.items()}, premise
        by_replacement = {row["replacement"]: row for row in of_problem}
        for replacement, expected in columns.items():
            assert {column: by_replacement[replacement][column] for column in expected} == expected


def test_equally_probable_is_not_more_probable(tmp_path: Path) -> None:
    refused("", rows_of_problems, tmp_path, [BOYS], {"even": Ranking(uncased, ("woman", "teen", "boy"), step=0.0)})


def test_inflation(tmp_path: Path) -> None:
    mlms = {"pooled": Ranking(uncased, ("woman", "teen", "little", "boy", "dog", "happy", "small"))}
    # Nouns: 2 of "boy" and 3 of "dog" are pooled. Adjectives: 2. In the other problem 2 of "boy".
    problems = [("A small boy sees a dog.", "The dog sees a small boy."), BOYS]
    two, three, four = (
        {(row["seed_premise"], *row["variant_id"].split(":")[1:]) for row in rows}
        for rows in (
            rows_of_problems(tmp_path / str(inflation), in_order, mlms, inflation=inflation)
            for inflation, in_order in ((2, problems), (3, problems), (4, problems[::-1]))
        )
    )
    nouns = {(problems[0][0], "noun", original, word) for original in ("boy", "dog") for word in ("woman", "teen")}
    assert two == nouns | {(problems[0][0], "adj", "small", word) for word in ("little", "happy")} | {
        (BOYS[0], "noun", "boy", word) for word in ("woman", "teen")
    }
    assert three == four == nouns


def test_subsamples(tmp_path: Path) -> None:
    mlms = {"mlm": Ranking(uncased, ("woman", "teen", "horses", "boy"))}
    rows = rows_of_problems(tmp_path, [BOYS], mlms, inflation=2, subsamples=4, random_seed=5)
    # printf '["A boy is cold.", "The boy sings.", "entailment"]' | sha256sum
    assert {row["seed_id"] for row in rows} == {"08f402a95a70"}
    # printf '[5,0,"08f402a95a70","noun","boy","woman"]' | sha256sum, and so on; the smallest two per line:
    #      woman     teen      horses
    #  0   cfbc788b  9953b814  d654d47b
    #  1   8e9e6e54  37d02c34  b20276a5
    #  2   7582bc12  7a19a1ef  423e4999
    #  3   69db5656  5722676a  962f82d4
    assert {row["replacement"]: row["subsamples"] for row in rows} == {
        "woman": [0, 1, 2, 3],
        "teen": [0, 1, 3],
        "horses": [2],
    }
    rows = comparison.rows_of(tmp_path / "out", "noun", "subsample_2")
    assert [row["replacement"] for row in rows] == ["horses", "woman"]
