"""Worked examples from the papers, and one for each rule of `docs/method.md`.

The masked LMs are scripted: each predicts the same ranking at every mask, with log-probabilities that decrease by a
fixed step. The expected variants are listed with each problem; word classes in context are those of the tagger.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tokenizers import Tokenizer

from merge_snli.base.errors import InputError
from merge_snli.schema import ALL, WORD_CLASSES
from tests.reference import comparison, scripted
from tests.reference.comparison import Problem, Row

Words = dict[tuple[str, str], set[str]]
"""Class and original -> replacements."""

OTHER_WORDS = ("a", "is", "an", "and", "two", "there", "of")


class Example(NamedTuple):
    """A problem and the expected replacements."""

    premise: str
    hypothesis: str
    variants: Words


def mlm(folder: Path, make: Callable[[Sequence[str]], Tokenizer], ranking: Sequence[str], step: float) -> str:
    """Save a scripted masked LM and return its folder."""
    return str(scripted.save(folder, make([*ranking, *OTHER_WORDS]), ranking, step=step))


def uncased(pieces: Sequence[str]) -> Tokenizer:
    return scripted.wordpiece(sorted(set(pieces)), lowercase=True)


def cased(pieces: Sequence[str]) -> Tokenizer:
    return scripted.wordpiece(sorted(set(pieces)), lowercase=False)


def rows_of_problems(
    folder: Path,
    examples: Sequence[tuple[str, str]],
    mlms: Sequence[str],
    *,
    inflation: int = 1,
    top_k: int = 200,
    subsamples: int = 10,
    random_seed: int = 0,
    changes: Mapping[str, Any] | None = None,
) -> list[Row]:
    """Return the variants that the pipeline generates for these problems."""
    options = replace(
        comparison.options_for([Problem(premise, hypothesis) for premise, hypothesis in examples], folder, mlms),
        inflation=inflation,
        top_k=top_k,
        subsamples=subsamples,
        random_seed=random_seed,
        **(changes or {}),
    )
    return comparison.rows_of(comparison.run_pipeline(options, folder), ALL)


def check(
    folder: Path, examples: Sequence[Example], mlms: Sequence[str], changes: Mapping[str, Any] | None = None
) -> list[Row]:
    """Run the pipeline with `changes` of the options, compare the replacements and return the rows."""
    rows = rows_of_problems(folder, [example[:2] for example in examples], mlms, changes=changes)
    for example in examples:
        replaced: Words = {}
        for row in rows:
            if (row["seed_premise"], row["seed_hypothesis"]) == example[:2]:
                replaced.setdefault((row["word_class"], row["original"]), set()).add(row["replacement"])
        assert replaced == example.variants, example[:2]
    return rows


# Pieces that are not words, then words of each class, then the originals, then less probable words.
UNCASED = (
    *("the", "##s", "un", "never", "x", "2020"),
    *("woman", "horses", "teen", "little", "happy"),
    *("girl", "boys", "dogs", "dog", "man", "small", "sing", "swim", "walk", "pup", "##py"),
    *("did", "doctor", "tall", "##es"),
)
NOUNS = {"woman", "horses", "teen"}

FIGURE_2 = Example(
    "A small girl carries a girl.",
    "There is a small girl.",
    # No "teen" for "small": another class. No "girl" for "small" and no "there": words of the problem.
    {("adj", "small"): {"little", "happy"}, ("noun", "girl"): NOUNS},
)

UNCASED_EXAMPLES = (
    FIGURE_2,
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
    Example("The puppy sleeps by a dog.", "A puppy is by the dog.", {("noun", "dog"): NOUNS | {"girl", "boys"}}),
)


def test_words_of_an_uncased_masked_lm(tmp_path: Path) -> None:
    for row in check(tmp_path, UNCASED_EXAMPLES, [mlm(tmp_path / "uncased", uncased, UNCASED, 0.5)]):
        if row["original"] == "girl" and row["seed_premise"] == FIGURE_2.premise and row["replacement"] == "woman":
            # Both occurrences of the premise, nothing else of the text; 5 ranks before "girl" in the list.
            assert row["premise"] == "A small woman carries a woman."
            assert row["hypothesis"] == "There is a small woman."
            assert row["log_odds"] == pytest.approx(2.5, abs=1e-4)
            assert row["premise_mlms"] == row["hypothesis_mlms"] == ["uncased"]


def test_case_of_the_original(tmp_path: Path) -> None:
    name = mlm(
        tmp_path / "cased",
        cased,
        ("Woman", "woman", "horses", "TEEN", "children", "Children", "boys", "TV", "TVs", "tables"),
        0.5,
    )
    rows = check(
        tmp_path,
        (
            # A capital at the start of both sentences; "Woman" and "woman" are one word.
            Example(
                "Children are playing in a park.",
                "Children play outside.",
                {("noun", "Children"): {"Woman", "Horses", "Teen"}},
            ),
            # Here "Children" and "children" are one word, too. "TEEN" is not a piece in lower case.
            Example("Two boys play.", "The boys are loud.", {("noun", "boys"): {"woman", "horses", "children"}}),
            # Two capitals within a sentence: only pieces with a capital.
            Example("A man watches a TV.", "A TV is on.", {("noun", "TV"): {"WOMAN", "TEEN", "CHILDREN"}}),
            # None of the patterns: as the piece has it. The tagger takes "Woman" and "TEEN" for names, and "TV" is a
            # form of "TVs".
            Example("Two TVs are on.", "The TVs are new.", {("noun", "TVs"): {"Children"}}),
        ),
        [name],
    )
    of_boys = {row["replacement"]: row["log_odds"] for row in rows if row["original"] == "boys"}
    # The larger log-probability of the two pieces: "Woman" is first and "boys" is seventh; "children" is fifth.
    assert of_boys["woman"] == pytest.approx(6 * 0.5, abs=1e-4)
    assert of_boys["children"] == pytest.approx(2 * 0.5, abs=1e-4)


def test_case_of_an_original_with_one_letter(tmp_path: Path) -> None:
    name = mlm(tmp_path / "cased", cased, ("RED", "WOMAN", "HORSES", "TEACHER", "B2", "3D"), 0.5)
    check(
        tmp_path,
        (
            # "B2" is not two letters in capitals: its only letter is one, so that only the suggestion's first is.
            Example(
                "A dog, two boys and a B2.",
                "Two boys, a dog and a B2",
                {("noun", "B2"): {"Woman", "Horses", "Teacher"}},
            ),
            Example("A 3D boy in a 3D cafe", "The 3D boy", {("adj", "3D"): {"Red"}}),
        ),
        [name],
    )


def test_negations_with_either_apostrophe_are_rejected(tmp_path: Path) -> None:
    name = mlm(tmp_path / "cased", cased, ("DON'T", "DON’T", "Don’t", "never", "Radio", "screen", "TV"), 0.5)
    check(tmp_path, (Example("A TV and two TVs.", "A TV is on.", {("noun", "TV"): {"RADIO"}}),), [name])


def test_a_capital_is_kept_within_a_sentence(tmp_path: Path) -> None:
    name = mlm(tmp_path / "cased", cased, ("Young", "old", "Big", "tall", "Tall"), 0.5)
    check(
        tmp_path,
        (
            Example('Look! "Tall men are here."', "Tall men sing.", {("adj", "Tall"): {"Young", "Old", "Big"}}),
            Example("A Tall man is here.", "Tall men sing.", {("adj", "Tall"): {"Young", "Big"}}),
        ),
        [name],
    )


def test_forms_of_adjectives_are_words_of_the_problem(tmp_path: Path) -> None:
    name = mlm(tmp_path / "uncased", uncased, ("old", "young", "good", "little", "tall"), 0.5)
    check(
        tmp_path,
        (
            Example("A tall boy, his elder sister.", "A tall boy.", {("adj", "tall"): {"young", "good", "little"}}),
            Example("A tall boy is better.", "The youngest tall boy.", {("adj", "tall"): {"old", "little"}}),
        ),
        [name],
    )


def test_a_veto_of_the_masked_lms(tmp_path: Path) -> None:
    words = ("woman", "horses", "teen", "doctor")
    first = mlm(tmp_path / "first", uncased, (*words, "boy", "girl"), 0.5)
    # The original is more probable than two words, and "horses" is no piece of this vocabulary.
    second = mlm(tmp_path / "second", uncased, ("woman", "boy", "teen", "girl", "doctor"), 0.5)
    # This one splits the original and has no vote.
    third = mlm(tmp_path / "third", uncased, ("girl", "b", "##oy"), 0.5)
    boys = ("A boy is cold.", "The boy sings.")
    for rank, dissents, kept in (
        (3, 0, {"woman", "teen"}),
        (3, 1, {"woman", "horses", "teen"}),
        (4, 0, {"woman", "teen"}),
        (5, 0, {"woman", "teen", "doctor"}),
        (1, 0, {"woman"}),
    ):
        changes = {"veto": rank, "dissents": dissents}
        check(tmp_path, (Example(*boys, {("noun", "boy"): kept}),), [first, second, third], changes)
    check(tmp_path, (Example(*boys, {("noun", "boy"): {*words}}),), [first, third], {"veto": 4})


def test_pieces_with_and_without_a_leading_space(tmp_path: Path) -> None:
    # "woman" and "teen" have both kinds of pieces, "horses" only a spaced one. "fox" has only a bare one: not a word.
    ranking = (" woman", "woman", " horses", "fox", " teen", "teen", " boy", "boy", " doctor", "doctor")
    name = mlm(tmp_path / "bpe", scripted.byte_bpe, ranking, 0.5)
    rows = check(
        tmp_path,
        (
            Example("A boy is cold.", "The boy sings.", {("noun", "boy"): {"woman", "horses", "teen"}}),
            # After a quote the original is a bare piece.
            Example('A "boy" is cold.', 'The "boy" sings.', {("noun", "boy"): {"woman", "teen"}}),
            # All three occurrences count: the first two alone would allow "horses".
            Example('A boy sees a boy and a "boy".', "The boy sings.", {("noun", "boy"): {"woman", "teen"}}),
        ),
        [name],
    )
    thrice = {row["replacement"]: row for row in rows if "sees" in row["premise"]}
    assert thrice["teen"]["premise"] == 'A teen sees a teen and a "teen".'
    # "teen" is two steps above "boy", "woman" six, with and without a leading space.
    assert thrice["teen"]["log_odds"] == pytest.approx(2 * 0.5, abs=1e-4)
    assert thrice["woman"]["log_odds"] == pytest.approx(6 * 0.5, abs=1e-4)


def test_full_stop_after_a_last_word(tmp_path: Path) -> None:
    # "dog." is one piece, so "dog" is not a single token before a full stop, including a full stop that was added to
    # the form.
    ranking = (" woman", " horses", " teen", " dog", " dog.", " cat")
    name = mlm(tmp_path / "sentencepiece", scripted.sentencepiece, ranking, 0.5)
    rows = check(
        tmp_path,
        (
            Example("A man has a dog", "The dog is cold.", {}),
            Example("A man has a dog  ", "The dog is cold.", {}),
            Example("A man has a dog.", "The dog is cold.", {}),
            Example("A man plays with a cat", "The cat is cold", {("noun", "cat"): {"woman", "horses", "teen", "dog"}}),
            Example(
                "A man plays with a cat ", "The man has a cat", {("noun", "cat"): {"woman", "horses", "teen", "dog"}}
            ),
        ),
        [name],
    )
    # The full stop is only added to the form; the sentence itself changes only in the replaced word.
    assert {"A man plays with a teen", "A man plays with a teen "} <= {row["premise"] for row in rows}


def test_negated_verbs(tmp_path: Path) -> None:
    # "had" is a piece in "hadn't" too, so only the rule for negations excludes "wasn't".
    name = mlm(tmp_path / "negated", scripted.sentencepiece, (" was", " had"), 0.5)
    hypothesis = "The man had run home."
    check(
        tmp_path,
        (
            Example("The man hadn't run home.", hypothesis, {}),
            Example("The man hadn’t run home.", hypothesis, {}),
            Example("The man hadnt run home.", hypothesis, {}),
            # Spaced as in the Penn Treebank.
            Example("The man had n't run home.", hypothesis, {}),
            Example("The man had n’t run home.", hypothesis, {}),
            # A separate "not" is not affected by the replacement.
            Example("The man had not run home.", hypothesis, {("verb", "had"): {"was"}}),
        ),
        [name],
    )


def test_negations_are_neither_replaced_nor_replacements(tmp_path: Path) -> None:
    ranking = (" never", " nowise", " also", " not", " absent", " happy", " small", " lacking", " wearing", " holding")
    name = mlm(tmp_path / "negations", scripted.byte_bpe, ranking, 0.5)
    check(
        tmp_path,
        (
            # "also" would reverse the label; "absent" and "lacking" would remove what the hypothesis needs.
            Example("A man is not sleeping.", "The man is not awake.", {}),
            Example("A small man.", "The man is small.", {("adj", "small"): {"happy"}}),
            Example("A man is holding a red hat.", "A man is holding a hat.", {("verb", "holding"): {"wearing"}}),
            Example("A man is lacking a red hat.", "A man is lacking a hat.", {}),
        ),
        [name],
        {"classes": WORD_CLASSES},
    )


def test_parts_of_words_are_not_replaced(tmp_path: Path) -> None:
    # " are" and "are" are pieces, so "are" is a whole word in place of the bare piece "'s".
    words = ("are", "miles", "cold")
    ranking = (*words, *(f" {word}" for word in words), "'s", "km", " runs")
    name = mlm(tmp_path / "parts", scripted.byte_bpe, ranking, 0.5)
    check(
        tmp_path,
        (
            Example("He's a man.", "He's a boy.", {}),
            Example("A man 5km away", "A boy 5km away", {}),
            Example("A man 's a man.", "A boy runs.", {}),
            Example("A boy runs home.", "A boy runs.", {("verb", "runs"): set(words)}),
        ),
        [name],
        {"filters": ()},
    )


def test_words_of_the_problem_are_compared_without_accents(tmp_path: Path) -> None:
    name = mlm(tmp_path / "accents", cased, ("Cafe", "cafe", "café", "woman", "bar"), 0.5)
    check(
        tmp_path,
        (
            Example("A café is a bar.", "There is a bar.", {("noun", "bar"): {"woman"}}),
            Example("A cafe\u0301 is a bar.", "There is a bar.", {("noun", "bar"): {"woman"}}),
            Example("A CAFE is a bar.", "There is a bar.", {("noun", "bar"): {"woman"}}),
            Example("A cold bar.", "There is a bar.", {("noun", "bar"): {"woman", "cafe", "café"}}),
        ),
        [name],
    )


def test_union_of_masked_lms_then_intersection_of_premise_and_hypothesis(tmp_path: Path) -> None:
    # `spaced` has "boy" as one piece after a space only, `bare` after a quote only.
    spaced = mlm(tmp_path / "spaced", scripted.byte_bpe, (" woman", " teen", " horses", " boy"), 0.5)
    bare_pieces = ("horses", "woman", "boy", "teen", " horses", " woman", " teen")
    bare = mlm(tmp_path / "bare", scripted.byte_bpe, bare_pieces, 0.25)
    rows = check(
        tmp_path,
        (
            # P is validated by one masked LM, H by the other. "teen" is less probable than "boy" for `bare`.
            Example("A boy is cold.", 'The "boy" sings.', {("noun", "boy"): {"woman", "horses"}}),
            # Each occurrence in P is validated by a different masked LM, so none validates both.
            Example('A boy sees a "boy".', "The boy sings.", {}),
        ),
        [spaced, bare],
    )
    assert [row["replacement"] for row in rows] == ["horses", "woman"]
    assert [(row["premise_mlms"], row["hypothesis_mlms"]) for row in rows] == [(["spaced"], ["bare"])] * 2
    # P: horses 1 step of 0.5, woman 3; H: horses 2 steps of 0.25, woman 1. log_odds is the smaller of the two.
    assert [row["log_odds"] for row in rows] == pytest.approx([0.5, 0.25], abs=1e-4)


def test_log_odds_are_the_largest_of_the_masked_lms_of_a_sentence(tmp_path: Path) -> None:
    one = mlm(tmp_path / "one", uncased, ("woman", "teen", "boy"), 0.5)
    other = mlm(tmp_path / "other", uncased, ("teen", "woman", "horses", "boy"), 0.75)
    rows = check(
        tmp_path,
        (Example("A boy is cold.", "The boy sings.", {("noun", "boy"): {"woman", "horses", "teen"}}),),
        [one, other],
    )
    assert {row["replacement"]: (row["premise_mlms"], row["log_odds"]) for row in rows} == {
        "woman": (["one", "other"], pytest.approx(2 * 0.75, abs=1e-4)),
        "horses": (["other"], pytest.approx(0.75, abs=1e-4)),
        "teen": (["one", "other"], pytest.approx(3 * 0.75, abs=1e-4)),
    }


def test_top_k_counts_pieces_that_are_not_words(tmp_path: Path) -> None:
    name = mlm(tmp_path / "top", uncased, ("##s", "x", "woman", "un", "teen", "boy"), 0.5)
    rows = rows_of_problems(tmp_path, [("A boy is cold.", "The boy sings.")], [name], top_k=4)
    assert [row["replacement"] for row in rows] == ["woman"]


def test_equally_probable_is_not_more_probable(tmp_path: Path) -> None:
    name = mlm(tmp_path / "even", uncased, ("woman", "teen", "boy"), 0.0)
    with pytest.raises(InputError):
        rows_of_problems(tmp_path, [("A boy is cold.", "The boy sings.")], [name])


def test_inflation(tmp_path: Path) -> None:
    name = mlm(tmp_path / "pooled", uncased, ("woman", "teen", "little", "boy", "dog", "happy", "small"), 0.5)
    problems = [
        # Nouns: 2 of "boy" and 3 of "dog" are pooled. Adjectives: 2.
        ("A small boy sees a dog.", "The dog sees a small boy."),
        # 2 of "boy".
        ("A boy is cold.", "The boy sings."),
    ]
    at_two = rows_of_problems(tmp_path / "2", problems, [name], inflation=2)
    at_three = rows_of_problems(tmp_path / "3", problems, [name], inflation=3)
    at_four = rows_of_problems(tmp_path / "5", problems[::-1], [name], inflation=4)
    first = {row["variant_id"] for row in at_two if row["seed_premise"] == problems[0][0]}
    assert {":".join(variant_id.split(":")[1:]) for variant_id in first} == {
        *("noun:boy:woman", "noun:boy:teen", "noun:dog:woman", "noun:dog:teen"),
        *("adj:small:little", "adj:small:happy"),
    }
    assert {row["variant_id"] for row in at_two} - first == {
        f"{row['seed_id']}:noun:boy:{word}"
        for row in at_two
        if row["seed_premise"] == problems[1][0]
        for word in ("woman", "teen")
    }
    nouns = {variant_id for variant_id in first if ":noun:" in variant_id}
    assert {row["variant_id"] for row in at_three} == {row["variant_id"] for row in at_four} == nouns


def test_subsamples(tmp_path: Path) -> None:
    name = mlm(tmp_path / "mlm", uncased, ("woman", "teen", "horses", "boy"), 0.5)
    problem = ("A boy is cold.", "The boy sings.")
    rows = rows_of_problems(tmp_path, [problem], [name], inflation=2, subsamples=4, random_seed=5)
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
