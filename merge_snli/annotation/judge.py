"""Questions to a language model about the scores F and R of a sample, and the reader of its replies."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from merge_snli.annotation.sample import Sample, read_sample, whole_sample
from merge_snli.annotation.sheets import guidelines
from merge_snli.annotation.shown import TEXT_COLUMNS, VARIANT_ID, SheetRow
from merge_snli.base.batches import grouped
from merge_snli.base.errors import InputError, explained
from merge_snli.base.files import JsonObject, sha256_of_json
from merge_snli.base.table import capitalized
from merge_snli.dataset.judgments import SCORES, is_score
from merge_snli.dataset.stored import find_dataset
from merge_snli.dataset.texts import TextNames
from merge_snli.language_models.estimates import Assumptions
from merge_snli.language_models.reasoning import without_reasoning

# The number of variants of one seed and word in a question, unless the user says otherwise.
PER_QUESTION = 10

# The keys of a reply: the scores of all variants, and in each of them the replacement.
ALL_SCORES, WORD = "scores", "word"

# The end of the guidelines. It has braces, so it is not a template.
HOW_TO_ANSWER = """## How to answer

A question shows a seed and one or more variants of it, in which the same word is replaced. The replacement stands after
`Variant:`. Score each variant by itself: variants of one seed can deserve different scores. Choose 3 if you cannot
decide.

Answer with one JSON object and nothing else. It has F and R, whole numbers from 1 to 5, of every variant of the
question, with its replacement as `word`:

{"scores": [{"word": "pony", "F": 5, "R": 5}, {"word": "piano", "F": 1, "R": 5}]}"""


def replacement_of(variant_id: str) -> str:
    """Return the replacement, which ends the id of a variant."""
    return variant_id.rpartition(":")[2]


def read_sample_of(dataset: str | None, sample: str | None) -> Sample:
    """Return what to judge: a sample in a file, or every variant of a data set."""
    if (dataset is None) == (sample is None):
        advice = "dataset=DIR or dataset=ORG/NAME, or sample=sheets/sample.json"
        raise InputError(f"merge_snli/judge needs a data set or a sample, and not both: add -T {advice}")
    return whole_sample([find_dataset(str(dataset))]) if sample is None else read_sample(Path(sample))


def questions(sample: Sample, per_question: int = PER_QUESTION) -> list[tuple[SheetRow, ...]]:
    """Return the variants of each question: one or more of a seed and a word, in as few questions of equal size.

    Raises:
        InputError: If `per_question` is not a positive integer.
    """
    if type(per_question) is not int or per_question < 1:
        raise InputError(f"⟦per_question⟧ is {per_question!r}: give the number of variants, 1 or more")
    words = grouped((row[VARIANT_ID].rpartition(":")[0], row) for row in sample.shown.values())
    asked = []
    for rows in words.values():
        number = -(-len(rows) // per_question)
        for first in range(number):
            asked.append(tuple(rows[first::number]))
    return asked


def question_texts(rows: Sequence[SheetRow], texts: TextNames) -> list[str]:
    """Return the paragraphs of a question: the seed, then each variant.

    Args:
        rows: Variants of one seed and word.
        texts: What the two texts of a problem are called.
    """
    first, second = map(capitalized, texts)
    seed = rows[0]
    asked = [f"Seed\n{first}: {seed['seed_premise']}\n{second}: {seed['seed_hypothesis']}\nLabel: {seed['label']}"]
    for row in rows:
        word = replacement_of(row[VARIANT_ID])
        asked.append(f"Variant: {word}\n{first}: {row['premise']}\n{second}: {row['hypothesis']}")
    return asked


def instructions(sample: Sample, path: str | None = None) -> str:
    """Return the guidelines for annotators, with how to answer.

    Args:
        sample: The sample, which names the texts and labels.
        path: A file with other guidelines; None for those of the package.
    """
    if path is None:
        return guidelines(sample, how_to_answer=HOW_TO_ANSWER)
    message = f"⟦guidelines⟧ {path} cannot be read (⟦reason⟧): name a text file in UTF-8"
    with explained((OSError, UnicodeDecodeError), message):
        return f"{Path(path).read_text(encoding='utf-8').strip()}\n\n{HOW_TO_ANSWER}\n"


def estimate(
    dataset: str | None, sample: str | None, per_question: int = PER_QUESTION, *, assumed: Assumptions
) -> JsonObject:
    """Estimate what it takes to judge a sample, or every variant of a data set.

    Args:
        dataset: As for the task, like the next two.
        sample: The file of a sample.
        per_question: The largest number of variants in a question.
        assumed: What the estimate assumes.
    """
    judged = read_sample_of(dataset, sample)
    asked = questions(judged, per_question)
    texts = ["\n\n".join(question_texts(rows, judged.texts)) for rows in asked]
    replies = []
    for rows in asked:
        scores = [{WORD: replacement_of(row[VARIANT_ID]), "F": 5, "R": 5} for row in rows]
        replies.append(json.dumps({ALL_SCORES: scores}))
    tokens = len(asked) * assumed.tokens([instructions(judged)]) + assumed.tokens(texts)
    taken = assumed.calls_and_cost(len(asked), tokens, assumed.tokens(replies))
    return {"variants": len(judged.rows), "per_question": per_question, **taken}


def prompt_digest(instructions: str, texts: TextNames) -> str:
    """Return the sha256 of the instructions and of the layout of a question."""
    return sha256_of_json([instructions, *question_texts([dict(zip(TEXT_COLUMNS, TEXT_COLUMNS, strict=True))], texts)])


def read_scores(text: str, variants: Mapping[str, str]) -> dict[str, dict[str, int]]:
    """Return F and R by variant id, as far as a reply states them; in doubt, a variant has none.

    The reply has one JSON object with scores, whatever surrounds it. A word that it scores twice, or not with whole
    numbers from 1 to 5, has no scores.

    Args:
        text: The reply.
        variants: The ids of the variants of the question, by replacement.

    Examples:
        >>> reply = '{"scores": [{"word": "pony", "F": 5, "R": 4}, {"word": "car", "F": 9, "R": 1}]}'
        >>> read_scores(reply, {"pony": "7:noun:horse:pony", "car": "7:noun:horse:car"})
        {'7:noun:horse:pony': {'F': 5, 'R': 4}}
    """
    objects = [value[ALL_SCORES] for value in _objects(without_reasoning(text)) if ALL_SCORES in value]
    if len(objects) != 1 or not isinstance(objects[0], list):
        return {}
    rows = grouped((str(row.get(WORD)), row) for row in objects[0] if isinstance(row, dict))
    read = {}
    for word, of_word in rows.items():
        scores: JsonObject = {name: of_word[0].get(name) for name in SCORES}
        if len(of_word) == 1 and word in variants and all(map(is_score, scores.values())):
            read[variants[word]] = scores
    return read


def _objects(text: str) -> Iterator[JsonObject]:
    """Yield the JSON objects in a text that are in no other one."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
            yield value
        except (ValueError, RecursionError):
            end = at + 1
        at = text.find("{", end)
