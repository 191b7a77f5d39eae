"""Keep what a language model wrote beside the result, so that its answers can be listed and read again."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from merge_snli.base.errors import InputError
from merge_snli.base.files import write_text
from merge_snli.language_models.answers import read_answer
from merge_snli.language_models.logs import check_digest
from merge_snli.language_models.prompts import answer_form
from merge_snli.problems.file_rows import read_file
from merge_snli.scoring.imports import ImportedAnswers, pairs_by_id
from merge_snli.scoring.predictions.opening import open_config
from merge_snli.scoring.predictions.scored_data import ScoredData, part_of_data
from merge_snli.scoring.results.files import read_result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from merge_snli.dataset.stored import MergeDataset

ENDING = ".answers.jsonl"


@dataclass(frozen=True)
class KeptAnswer:
    """A line of the file: the answer to a distinct sentence pair.

    Attributes:
        id: Id of the first variant or seed with the pair.
        answer: The label that was read; None if it cannot be read.
        text: What the model wrote.
    """

    id: str
    answer: str | None
    text: str


def kept_path(result: Path) -> Path:
    """Return the path of the answers of a result file: `NAME.answers.jsonl` beside `NAME.json`."""
    return result.with_suffix(ENDING)


def write_kept(answers: ImportedAnswers, data: ScoredData, result: Path) -> None:
    """Write what a model wrote beside its result; nothing if it ranked the labels or is not a language model."""
    if not answers.texts:
        return
    ids = {pair: name for name, pair in reversed(pairs_by_id(data).items())}
    lines = [
        json.dumps({"id": ids[pair], "answer": answers.labels[pair], "text": text}, ensure_ascii=False)
        for pair, text in answers.texts.items()
    ]
    write_text(kept_path(result), "".join(f"{line}\n" for line in lines))


def read_kept(result: Path) -> list[KeptAnswer]:
    """Read what a model wrote from the file beside its result.

    Raises:
        InputError: If there is no such file or it is invalid.
    """
    path = kept_path(result)
    if not path.is_file():
        raise InputError(f"{path.name}, which has the answers of the model, is not beside {result}: import its logs")
    kept = []
    for row in read_file(path):
        values = row.values
        if not isinstance(values.get("id"), str) or not isinstance(values.get("text"), str):
            raise InputError(f"{row.location} does not have an id and the text of an answer: import the logs again")
        answer = values.get("answer")
        kept.append(KeptAnswer(values["id"], None if answer is None else str(answer), values["text"]))
    return kept


def answers_of_result(path: Path, dataset: MergeDataset) -> tuple[ImportedAnswers, ScoredData, ScoredData]:
    """Return the kept answers of a result, the whole config, and the part of it that was asked.

    Raises:
        InputError: If the result has no kept answers, or is on other data.
    """
    result = read_result(path)
    about, part = result.dataset, result.dataset.partial
    kept = read_kept(path)
    check_digest(path, about.name, about.digest if part is None else part.of, dataset)
    data = open_config(dataset, about.config)
    pairs = pairs_by_id(data)
    unknown = next((each.id for each in kept if each.id not in pairs), None)
    if unknown is not None:
        raise InputError(f"{kept_path(path)}: {unknown} is not in {data.place}")
    answers = ImportedAnswers(
        source=str(path),
        model=result.model.name,
        labels={pairs[each.id]: each.answer for each in kept},
        texts={pairs[each.id]: each.text for each in kept},
        prompt=result.run.prompt,
        digest=result.model.digest,
        versions=result.run.versions,
    )
    asked = part_of_data(
        data,
        limit_seeds=None if part is None else part.limit_seeds,
        subsample=None if part is None else part.subsample,
    )
    return answers, data, asked


def read_again(answers: ImportedAnswers, labels: Sequence[str]) -> ImportedAnswers:
    """Read the answers from what the model wrote; those without a text stay."""
    form = None if answers.prompt is None else answer_form(answers.prompt.prompt)
    read = {pair: read_answer(text, labels, form) for pair, text in answers.texts.items()}
    return replace(answers, labels={**answers.labels, **read})
