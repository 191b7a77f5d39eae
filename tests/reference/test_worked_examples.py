"""Worked examples from the papers, and one for each rule of `docs/method.md`.

The masked LMs are scripted: each predicts the same ranking at every mask, with log-probabilities that decrease by a
fixed step. `worked_examples.toml` lists the expected variants of each problem; word classes in context are those of the
tagger.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from merge_snli.schema import ALL
from tests.cases import slow
from tests.oracles import refused
from tests.reference import comparison, scripted
from tests.reference.comparison import Problem, Row

OTHER_WORDS = ("a", "is", "an", "and", "two", "there", "of")
CASES = tomllib.loads(Path(__file__).with_suffix(".toml").with_stem("worked_examples").read_text(encoding="utf-8"))
RANKINGS = CASES.pop("mlm")
BOYS = ("A boy is cold.", "The boy sings.")


def uncased(*pieces: str, step: float = 0.5) -> Row:
    """Return a scripted masked LM without capitals."""
    return {"kind": "uncased", "pieces": pieces, "step": step}


def tokenizer_of(kind: str, pieces: Sequence[str]) -> Tokenizer:
    if kind in ("cased", "uncased"):
        return scripted.wordpiece(sorted({*pieces}), lowercase=kind == "uncased")
    return scripted.byte_bpe(pieces) if kind == "byte_bpe" else scripted.sentencepiece(pieces)


def rows_of_problems(
    folder: Path,
    problems: Sequence[tuple[str, str]],
    mlms: Mapping[str, Row],
    **changes: Any,  # noqa: ANN401 - values of any option
) -> list[Row]:
    """Return the variants that the pipeline generates for these problems."""
    folders = []
    for name, ranking in mlms.items():
        pieces = ranking["pieces"]
        tokenizer = tokenizer_of(ranking["kind"], [*pieces, *OTHER_WORDS])
        folders.append(str(scripted.save(folder / name, tokenizer, pieces, step=ranking.get("step", 0.5))))
    plain = comparison.options_for([Problem(*problem) for problem in problems], folder, folders)
    return comparison.rows_of(comparison.run_pipeline(replace(plain, **changes), folder), ALL)


FAST = (
    "words of an uncased masked LM",
    "veto 5",
    "pieces with and without a leading space",
    "union of masked LMs, then intersection of premise and hypothesis",
)


@pytest.mark.parametrize("name", [*FAST, *slow(*(name for name in CASES if name not in FAST))])
def test_variants_are_those_of_the_rules(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    options = {}
    for option, value in case.get("options", {}).items():
        options[option] = tuple(value) if isinstance(value, list) else value
    examples = {(example["premise"], example["hypothesis"]): example for example in case["examples"]}
    rows = rows_of_problems(tmp_path, [*examples], {name: RANKINGS[name] for name in case["mlms"]}, **options)
    replaced: dict[tuple[str, str], dict[str, Row]] = {problem: {} for problem in examples}
    for row in rows:
        of_problem = replaced[row["seed_premise"], row["seed_hypothesis"]]
        of_problem.setdefault(row["word_class"], {}).setdefault(row["original"], {})[row["replacement"]] = row
    for problem, example in examples.items():
        expected = example.get("variants", {})
        assert replaced[problem].keys() == expected.keys(), problem
        for word_class, originals in expected.items():
            of_class = replaced[problem][word_class]
            assert of_class.keys() == originals.keys(), problem
            for original, words in originals.items():
                assert sorted(of_class[original]) == sorted(words), problem
                for word in example.get("columns", {}).keys() & of_class[original]:
                    for column, value in example["columns"][word].items():
                        near = pytest.approx(value, abs=1e-4) if column == "log_odds" else value
                        assert of_class[original][word][column] == near, (problem, word)


def test_equally_probable_is_not_more_probable(tmp_path: Path) -> None:
    refused("", rows_of_problems, tmp_path, [BOYS], {"even": uncased("woman", "teen", "boy", step=0.0)})


def test_inflation(tmp_path: Path) -> None:
    mlms = {"pooled": uncased("woman", "teen", "little", "boy", "dog", "happy", "small")}
    # Nouns: 2 of "boy" and 3 of "dog" are pooled. Adjectives: 2. In the other problem 2 of "boy".
    problems = [("A small boy sees a dog.", "The dog sees a small boy."), BOYS]

    def pooled(inflation: int) -> set[tuple[str, ...]]:
        rows = rows_of_problems(tmp_path / str(inflation), problems, mlms, inflation=inflation)
        return {(row["seed_premise"], *row["variant_id"].split(":")[1:]) for row in rows}

    nouns = {(problems[0][0], "noun", original, word) for original in ("boy", "dog") for word in ("woman", "teen")}
    others = {(problems[0][0], "adj", "small", word) for word in ("little", "happy")}
    others |= {(BOYS[0], "noun", "boy", word) for word in ("woman", "teen")}
    assert pooled(2) == nouns | others
    assert pooled(4) == nouns


def test_subsamples(tmp_path: Path) -> None:
    mlms = {"mlm": uncased("woman", "teen", "horses", "boy")}
    rows = rows_of_problems(tmp_path, [BOYS], mlms, inflation=2, subsamples=4, random_seed=5)
    # printf '["A boy is cold.", "The boy sings.", "entailment"]' | sha256sum
    assert {row["seed_id"] for row in rows} == {"08f402a95a70"}
    # printf '[5,0,"08f402a95a70","noun","boy","woman"]' | sha256sum, and so on; the smallest two per line:
    #      woman     teen      horses
    #  0   cfbc788b  9953b814  d654d47b
    #  1   8e9e6e54  37d02c34  b20276a5
    #  2   7582bc12  7a19a1ef  423e4999
    #  3   69db5656  5722676a  962f82d4
    subsamples = {row["replacement"]: row["subsamples"] for row in rows}
    assert subsamples == {"woman": [0, 1, 2, 3], "teen": [0, 1, 3], "horses": [2]}
    rows = comparison.rows_of(tmp_path / "out", "noun", "subsample_2")
    assert [row["replacement"] for row in rows] == ["horses", "woman"]
