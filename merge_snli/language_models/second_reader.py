"""Ask a language model, through Inspect, which label an unread reply states."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from inspect_ai.model import CachePolicy, GenerateConfig, ResponseSchema, get_model
from inspect_ai.util import JSONSchema

from merge_snli.answers.replies import NOT_STATED, Reply, majority
from merge_snli.base.errors import explained
from merge_snli.base.files import sha256_of_json
from merge_snli.language_models.answers import read_answer
from merge_snli.language_models.reasoning import without_reasoning
from merge_snli.results.records import READER, PromptRecord
from merge_snli.scoring.imports import ImportedAnswers

QUESTION = """Below is a reply to a question that has one of these answers: {options}.
Which of them does the reply state as its answer? Do not judge the question yourself. If the reply states none, several
without a final one, or refuses, the answer is "{none}".
Answer with a JSON object and nothing else: {{"answer": ANSWER}}, where ANSWER is one of {words}, "{none}".

<reply>
{reply}
</reply>"""


def answer_schema(words: Sequence[str]) -> ResponseSchema:
    """Return the schema of a JSON object `{"answer": WORD}`."""
    return reply_schema("answer", JSONSchema(type="string", enum=[*words]))


def reply_schema(name: str, value: JSONSchema) -> ResponseSchema:
    """Return the schema of a reply that is a JSON object with one field."""
    return ResponseSchema(name=name, json_schema=object_schema({name: value}), strict=True)


def object_schema(fields: dict[str, JSONSchema]) -> JSONSchema:
    """Return the schema of a JSON object with these fields and no other."""
    return JSONSchema(type="object", properties=fields, required=[*fields], additionalProperties=False)


async def read_by_model(reader: str, text: str, labels: Sequence[str], words: Sequence[str]) -> str | None:
    """Return the label that a language model reads in a reply; one call per reply, and answers are cached.

    Args:
        reader: The model, as Inspect names it.
        text: The reply.
        labels: The labels of the data set.
        words: The word for each label.

    Returns:
        One of `labels`; None if the reply states none, or is empty without its reasoning.
    """
    reply = without_reasoning(text)
    if not reply:
        return None
    options = ", ".join(f'{chr(ord("A") + number)}. "{word}"' for number, word in enumerate(words))
    listed = ", ".join(f'"{word}"' for word in words)
    question = QUESTION.format(options=options, words=listed, none=NOT_STATED, reply=reply)
    config = GenerateConfig(temperature=0.0, response_schema=answer_schema([*words, NOT_STATED]))
    # Providers raise anything.
    with explained(Exception, f"⟦reader⟧ is {reader!r}, which Inspect cannot ask: ⟦reason⟧"):
        # The role tells its calls from those of the model that is scored, which may be the same.
        model = get_model(role=READER, default=reader)
        output = await model.generate(question, config=config, cache=CachePolicy(expiry=None))
    return read_answer(output.completion, labels, "json", words)


def read_unread(
    answers: ImportedAnswers, prompt: PromptRecord, reader: str, labels: Sequence[str], words: Sequence[str]
) -> ImportedAnswers:
    """Return the answers of a model with those that another model reads in the replies without a label.

    They are answers of their own, with another digest.
    """
    texts = {reply.text for reply in chain(*answers.replies.values()) if not reply.label and reply.text}

    async def ask() -> list[str | None]:
        return await asyncio.gather(*(read_by_model(reader, text, labels, words) for text in texts))

    read = dict(zip(texts, asyncio.run(ask()), strict=True))

    def reread(reply: Reply) -> Reply:
        label = None if reply.label else read.get(reply.text)
        return replace(reply, label=label, kind=None, reader=reader) if label else reply

    replies = {pair: tuple(map(reread, of_pair)) for pair, of_pair in answers.replies.items()}
    return replace(
        answers,
        replies=replies,
        labels={pair: majority(of_pair) for pair, of_pair in replies.items()},
        prompt=replace(prompt, settings={**prompt.settings, READER: json.dumps(reader)}),
        digest=answers.digest if READER in prompt.settings else sha256_of_json([answers.digest, reader]),
    )
