"""The language of problems: English is not refused, however short; other languages are, with their name if known."""

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from generation.run_inputs import open_problems
from merge_snli.base.progress import Progress
from merge_snli.languages.language import ENGLISH, languages
from merge_snli.problems.language import WORD, LanguageCheck, other_language, use_of_words
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import read_problems
from tests.oracles import missing_from, refused, write_rows

Pairs = list[tuple[str, str]]

OTHERS = {
    "de": (
        "German",
        [
            ("Ein Mann spielt Gitarre auf der Bühne.", "Ein Mann macht Musik."),
            ("Zwei Hunde laufen über die Wiese.", "Die Hunde schlafen in dem Haus."),
        ],
    ),
    "nl": (
        "Dutch",
        [
            ("Een man speelt gitaar op het podium.", "Een man maakt muziek in de zaal."),
            ("Twee honden rennen over het gras.", "De honden slapen in het huis."),
        ],
    ),
    "es": (
        "Spanish",
        [
            ("Un hombre toca la guitarra en el escenario.", "Un hombre hace música."),
            ("Dos perros corren por la hierba.", "Los perros duermen en la casa."),
        ],
    ),
    "zh": ("a language in other letters", [("一个男人在舞台上弹吉他。", "一个男人在演奏音乐。")]),
    "ja": ("a language in other letters", [("男の人がステージでギターを弾いている。", "男の人が音楽を演奏している。")]),
    "ru": ("a language in other letters", [("Мужчина играет на гитаре.", "Мужчина исполняет музыку.")]),
    "fi": ("another language", [("Mies soittaa kitaraa lavalla.", "Mies tekee musiikkia.")] * 10),
}
"""By code: what the problems look like, and problems."""


def check(pairs: Pairs) -> None:
    checked = LanguageCheck()
    for number, (premise, hypothesis) in enumerate(pairs, start=1):
        checked.add(f"line {number}", premise, hypothesis)
    checked.require("problems.jsonl")


def bundled() -> Pairs:
    problems = read_problems(ProblemOptions(problems="demo:problems")).problems
    return [(problem.premise, problem.hypothesis) for problem in problems]


@pytest.mark.parametrize(
    "pairs",
    [
        [("Dogs bark.", "Animals make noise.")],
        [("Dogs bark.", "Animals make noise.")] * 9,
        [("Robert De Niro acts.", "De Niro acts.")],
        [("Young man walking dog", "Man training dog")],
        [("5 + 3 = 8", "8 - 3 = 5")],
        [("Π is 3.14.", "Π is a number.")],
    ],
)
def test_few_and_short_english_problems_pass(pairs: Pairs, caplog: pytest.LogCaptureFixture) -> None:
    check(pairs)
    assert not caplog.messages


def test_every_english_problem_passes_alone_and_together(caplog: pytest.LogCaptureFixture) -> None:
    pairs = bundled()
    for pair in pairs:
        check([pair])
    check(pairs)
    assert not caplog.messages


@pytest.mark.parametrize("code", OTHERS)
def test_other_languages_are_refused_with_the_reason_and_the_options(code: str) -> None:
    looks_like, pairs = OTHERS[code]
    message = str(refused(r"problems\.jsonl", check, pairs))
    assert not missing_from(message, f"like {looks_like},", "not English", "language='en'")


def test_a_few_problems_in_another_language_are_a_warning_and_many_an_error(caplog: pytest.LogCaptureFixture) -> None:
    english = bundled()[:38]
    german = OTHERS["de"][1]
    check([*english[:5], *german, *english[5:]])
    (message,) = caplog.messages
    assert not missing_from(message, "2 of 40", "line 6 like German")
    refused("3 of 29 look like other languages", check, [*english[:26], *german, german[0]])


def test_the_language_can_be_given_and_is_checked_for_every_command(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "p.jsonl"
    rows = [{"premise": p, "hypothesis": h, "label": "neutral"} for p, h in OTHERS["nl"][1]]
    write_rows(path, rows)
    refused("Dutch", open_problems, ProblemOptions(problems=path), Progress(quiet=True))
    assert not caplog.messages
    for given, name in (("en", "English"), ("fr", "French")):
        _, survey = open_problems(ProblemOptions(problems=path, language=given), Progress(quiet=True))
        assert survey.with_label == len(rows)
        assert f"look like Dutch, not {name}" in caplog.messages[-1]
    open_problems(ProblemOptions(problems=path, language="nl"), Progress(quiet=True))
    assert len(caplog.messages) == 2
    assert ProblemOptions(problems=path, language="en").as_dict()["language"] == "en"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"language": "Dutch"}, r"language is 'Dutch'.*such as de"),
        ({"language": "zh"}, r"^Chinese \(zh\) is written without spaces"),
        ({"language": "th"}, r"^Thai \(th\) is written without spaces"),
        ({"config": "th"}, "written without spaces"),
    ],
)
def test_a_language_is_a_code_and_is_written_with_spaces(options: dict[str, Any], message: str) -> None:
    refused(message, ProblemOptions, problems="facebook/xnli", **options)


def test_the_lists_of_words_can_be_found_in_texts() -> None:
    assert {ENGLISH, "de", "nl", "es", "fr"} <= languages().keys()
    for code, language in languages().items():
        assert len(language.function_words) >= 80, code
        assert all(WORD.fullmatch(word) and word == word.lower() for word in language.function_words), code


def test_a_language_is_known_by_its_own_list() -> None:
    """The list of each language says that its own words are that language, and no other list says so."""
    for expected, code in product(languages(), repeat=2):
        own = languages()[code].function_words - languages()[expected].function_words
        other = other_language(use_of_words(" ".join(own), expected), expected)
        assert (other is None) == (expected == code), (expected, code)
