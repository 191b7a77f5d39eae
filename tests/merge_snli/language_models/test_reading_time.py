"""The time to read a reply grows with its length, also if a model repeats itself until it is cut off."""

import random
import time

import pytest

from merge_snli.language_models.answers import read_reply
from merge_snli.schema import NLI_LABELS
from tests.cases import slow

SHORT, LONG, LONGEST = 10_000, 100_000, 1_000_000
# Ten times the text in at most so many times the time.
MAX_GROWTH = 15
# For a million characters; on a calm machine about two.
MAX_SECONDS = 4

# What models repeat.
REPEATED = (
    "neutral, ",
    "\n",
    " \n",
    "x\r\n",
    "neutral\r\n",
    "```\n",
    "```",
    "<think>",
    "</think>",
    "<|channel|>final",
    "Premise: x\n",
    "Premise: x",
    "Human: hi\n",
    "_",
    "*",
    "{",
    " ",
    "neither ",
    "entail",
    "thus, ",
    "to so, so the answer ",
    "the label of the ",
    "is: ",
    "neutral)",
    "It is neutral because the dog is red. ",
    '{"answer": "neutral"}\n',
)
# Pieces that the reader looks for, of which random texts are repeated.
PIECES = (
    *REPEATED,
    *("neutral", "entailment", "contradiction", "not entailment", "A", "(B)", "Option A", "yes", "true", "unknown"),
    *("answer", "Answer: ", "The answer is ", "Final answer: ", '{"answer": "', '"answer": ', '"}', "<answer>"),
    *("</answer>", r"\boxed{", r"\text{", "$", "|", "| ", "- ", "1. ", "# ", "> ", "[x]", "[ ]", "~~", "✅", "❌", "→"),
    *(
        "wait ",
        "Correction: ",
        "sorry",
        "I think ",
        "I ",
        "because the dog is ",
        "since ",
        "not ",
        "no, ",
        "rather than ",
    ),
    *("so ", "if ", "as a ", "the ", "an ", "this ", "it", "it is ", "below ", "following ", "wrong", "premise", "..."),
    *(". ", "? ", "! ", ", ", ": ", " – ", " — ", "(", ")", "'", '"', "[", "]", "}", "\n\n", "\r\n", "Hypothesis: y\n"),
    *(
        "<|message|>",
        "<|end|>",
        "assistant\n",
        "analysis",
        "assistantfinal",
        "[INST]",
        "</s>",
        "\nQuestion: z",
        "example",
    ),
)
ENDS = ("", "neut", "\nneutral", "\nAnswer: neutral")


def seconds(text: str) -> float:
    """Return the CPU seconds that reading takes."""
    start = time.process_time()
    read_reply(text, NLI_LABELS)
    return time.process_time() - start


def growth(piece: str, end: str) -> float:
    """Return how many times longer ten times the repetitions take, the least of some measurements."""
    short, long = (piece * (length // len(piece)) + end for length in (SHORT, LONG))
    least = float("inf")
    for _ in range(5):
        base = min(seconds(short) for _ in range(3))
        least = min(least, seconds(long) / base)
        if least < MAX_GROWTH:
            break
    return least


@pytest.mark.parametrize("piece", [*REPEATED[:4], *slow(*REPEATED[4:])])
def test_ten_times_the_text_takes_about_ten_times_as_long(piece: str) -> None:
    for end in ENDS[:2]:
        assert growth(piece, end) < MAX_GROWTH, end


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200))
def test_no_repetition_of_what_the_reader_looks_for_takes_long(seed: int) -> None:
    draw = random.Random(seed)
    piece = "".join(draw.choices(PIECES, k=draw.randint(1, 5)))
    end = draw.choice(ENDS)
    assert growth(piece, end) < MAX_GROWTH, (piece, end)


@pytest.mark.slow
@pytest.mark.parametrize("piece", REPEATED)
def test_a_million_characters_are_read_in_seconds(piece: str) -> None:
    text = piece * (LONGEST // len(piece)) + "neut"
    assert min(seconds(text) for _ in range(2)) < MAX_SECONDS
