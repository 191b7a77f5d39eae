"""Scores of the samples of any task, as answers to one question: is the reply correct?"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from merge_snli.answers.data import SCORED, ScoredData
from merge_snli.answers.replies import Reply
from merge_snli.answers.sentences import Numbering, SentencePairs
from merge_snli.base.errors import InputError
from merge_snli.base.files import JsonObject, sha256_of_json
from merge_snli.base.table import count
from merge_snli.language_models.group_metrics import is_correct
from merge_snli.language_models.logs import Log, SampleFacts
from merge_snli.language_models.questions import ALL_SUBSAMPLES, Scope

INCORRECT, CORRECT = SCORED
# The column of the groups if each sample is one.
ALONE = "sample"


@dataclass(frozen=True, kw_only=True)
class Scoring:
    """Which score of a sample counts, and which samples belong together.

    Attributes:
        group: Field of the metadata, or of the document, that names the group of a sample; None if each is alone.
        score: Name of the score; None for the only one.
        filter: Name of the filter of lm-evaluation-harness; None for the only one.
        at_least: Smallest score of a correct sample; None if all scores are 1 or 0.
    """

    group: str | None = None
    score: str | None = None
    filter: str | None = None
    at_least: float | None = None

    def sample(self, name: str, fields: JsonObject, target: object, path: Path) -> SampleFacts:
        """Return a sample with its group."""
        group = name if self.group is None else fields.get(self.group)
        if group is None:
            known = ", ".join(fields) or "none"
            raise InputError(f"{path}: sample {name} has no {self.group!r} for ⟦group⟧; its fields are {known}")
        return SampleFacts(str(group), sha256_of_json(target))

    def chosen(self, names: Sequence[str], option: str, path: Path) -> str:
        """Return the name of the score or filter that counts.

        Args:
            names: The names in the log.
            option: `score` or `filter`.
            path: The log, for messages.
        """
        wanted = getattr(self, option)
        if wanted in names or (wanted is None and len(names) == 1):
            return wanted or names[0]
        has = f"has the {option}s {', '.join(names)}" if names else f"has no {option} that is a number"
        raise InputError(f"{path} {has}: choose one with ⟦{option}⟧")

    def add_reply(self, log: Log, sample: tuple[str, int], value: float, text: str, unread: str | None) -> None:
        """Add the reply to a sample to a log, unless it has no score.

        Args:
            log: The log.
            sample: Id of the sample, and number of the reply.
            value: The score; NaN for none.
            text: The reply.
            unread: Why a reply that is not correct is not an answer; None if it is one.
        """
        if math.isnan(value):
            return
        if self.at_least is None and value not in (0, 1):
            raise InputError(
                f"{log.path} has the score {value:g}: say from which score on a sample is correct with ⟦at_least⟧"
            )
        if is_correct(value, self.at_least):
            reply = Reply(CORRECT, text)
        else:
            reply = Reply(None if unread else INCORRECT, text, unread)
        log.replies[sample] = reply

    def title(self, score: str) -> str:
        """Return what counts, in words."""
        return score if self.at_least is None else f"{score} at least {self.at_least:g}"

    @property
    def scope(self) -> JsonObject:
        """Which part of the task is imported, as `log_without_samples` reads it: all of it."""
        whole = Scope(subsample=ALL_SUBSAMPLES, group_column=self.group)
        return asdict(whole)


def scored_data(logs: Sequence[Log]) -> ScoredData:
    """Return the samples of a task as data: those of all logs, in the order of their ids.

    Raises:
        InputError: If two logs do not have the same sample under an id, or a sample that was to be asked is in no log.
    """
    first = logs[0]
    samples: dict[str, SampleFacts] = {}
    for log in logs:
        for name, sample in log.samples.items():
            if samples.setdefault(name, sample) != sample:
                raise InputError(
                    f"{log.path}: sample {name} has another group or target than in {first.path}: give the samples of "
                    "the task ids that do not depend on their order"
                )
    for log in logs:
        missing = [name for name in log.planned if name not in samples]
        if missing:
            raise InputError(
                f"{log.path} lacks {count(len(missing), 'sample')}, such as {missing[0]}: finish the run with inspect "
                "eval-retry, or import it together with a log that has them"
            )
    names = sorted(samples)
    groups = Numbering(samples[name].group for name in names)
    content = [[name, samples[name].group, samples[name].target] for name in names]
    table = pa.table({"row_id": pa.array(names, pa.string())})
    sentences = SentencePairs.of([(name, "") for name in names])
    digest = sha256_of_json([first.dataset, content])
    labels = np.full(len(names), SCORED.index(CORRECT))
    return ScoredData(
        dataset=None,
        name=first.name,
        title=first.dataset,
        revision=None,
        config=None,
        digest=digest,
        group_column=first.scope.group_column or ALONE,
        label_names=SCORED,
        table=table,
        sentences=sentences,
        group_ids=tuple(groups.index),
        row_groups=np.array(groups.numbers),
        row_labels=labels,
        subsamples=None,
        seed_labels=None,
        masks={},
    )
