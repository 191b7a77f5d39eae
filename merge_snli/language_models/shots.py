"""Draw the problems that a prompt shows with their labels."""

import hashlib
import logging
import re
from heapq import nsmallest
from itertools import chain, islice, zip_longest
from operator import itemgetter

from merge_snli.answers.data import ScoredData
from merge_snli.answers.opening import open_data
from merge_snli.base.errors import InputError
from merge_snli.dataset.label_spellings import NOT_ENTAILMENT, TWO_WAY, task_labels
from merge_snli.dataset.texts import NLI_TEXTS
from merge_snli.models.filled_prompt import FilledPrompt, Shot
from merge_snli.models.prompts import PROMPTS, TASK_PROMPT, Prompt
from merge_snli.problems.inputs import split_of_name
from merge_snli.problems.options import ProblemOptions
from merge_snli.problems.reading import stream_problems, survey_problems
from merge_snli.problems.source import open_source, without_options
from merge_snli.schema import NLI_LABELS

logger = logging.getLogger(__name__)

SHOTS_FROM = "demo:problems"


def fill_prompt(
    prompt: Prompt,
    data: ScoredData,
    *,
    shots: int | None = None,
    shots_from: str = SHOTS_FROM,
    random_seed: int = 0,
) -> FilledPrompt:
    """Return a prompt with the labels of a config and the shots that it shows.

    Args:
        prompt: The prompt.
        data: The config.
        shots: Number of shots; by default that of the prompt.
        shots_from: File, folder or Hub id of the problems to draw shots from; `ID:SPLIT` names a split.
        random_seed: Seed of the draw of the shots.
    """
    count = prompt.shots if shots is None else shots
    if prompt.name in PROMPTS and data.texts != NLI_TEXTS:
        logger.warning(
            "%s has %s and %s, which the prompt %s calls premise and hypothesis: use the prompt %s",
            data.name,
            *data.texts,
            prompt.name,
            TASK_PROMPT,
        )
    shown = shots_for(data, shots_from, count, random_seed=random_seed)
    return FilledPrompt(prompt, data.label_names, shown, data.texts)


def _normalized(text: str) -> str:
    """Return the words of a text without case, punctuation and spaces."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def shots_for(
    data: ScoredData, source: str, count: int, *, random_seed: int = 0, at_least: int | None = None
) -> tuple[Shot, ...]:
    """Draw problems of another split or data set, the labels in turns, for the questions of a config.

    The draw takes the problems with the smallest digests of random seed and id, so it does not depend on their order.
    Problems whose premise is in a config of the data, but for case, punctuation and spaces, are not drawn. A
    warning has their number.

    Args:
        data: The config.
        source: File, folder or Hub id of problems; `ID:SPLIT` names a split.
        count: Number of problems.
        random_seed: Seed of the draw.
        at_least: Number of problems that suffice if the source does not have more, with a warning; None for `count`.

    Raises:
        InputError: If the source cannot be read, has other labels, or has too few problems for the shots.
    """
    if count < 0:
        raise InputError(f"shots is {count}: give 0 or a larger number")
    if not count:
        return ()
    name, split = split_of_name(source)
    with without_options("⟦shots_from⟧"):
        opened = open_source(ProblemOptions(problems=name, split=split))
        survey = survey_problems(opened)
    names = task_labels(survey.label_names)
    if {*data.label_names} == {*TWO_WAY} and {*names} == {*NLI_LABELS}:
        names = tuple(label if label in TWO_WAY else NOT_ENTAILMENT for label in names)
    if {*names} != {*data.label_names}:
        raise InputError(
            f"the labels of {name} are {', '.join(survey.label_names)}, not {', '.join(data.label_names)}: "
            "name a data set of the same task with ⟦shots_from⟧"
        )
    in_data = set[str]()
    for whole in [data] if data.dataset is None else open_data(data.dataset):
        in_data.update(_normalized(premise) for premise, _ in whole.pairs)
    leaked = 0
    drawn: dict[str, list[tuple[str, Shot]]] = {label: [] for label in data.label_names}
    for problem in stream_problems(opened, survey):
        if _normalized(problem.premise) in in_data:
            leaked += 1
            continue
        key = hashlib.sha256(f"{random_seed}:{problem.id}".encode()).hexdigest()
        label = names[problem.label]
        shot = Shot(problem.premise, problem.hypothesis, label)
        # A few candidates per label suffice; sorting them at once would need all problems in memory.
        drawn[label] = nsmallest(count, [*drawn[label], (key, shot)], key=itemgetter(0))
    in_turns = chain.from_iterable(zip_longest(*drawn.values()))
    shots = tuple(shot for _, shot in islice(filter(None, in_turns), count))
    if len(shots) < (count if leaked or at_least is None else at_least):
        raise InputError(
            f"{name} has only {len(shots)} problems for {count} shots whose premises are not in the data set: "
            "ask for fewer shots, or name more problems with ⟦shots_from⟧"
        )
    if len(shots) < count or (leaked and source != SHOTS_FROM):  # the bundled data set is of the bundled problems
        logger.warning(
            f"{name} has {len(shots)} of {count} shots whose premises are not in the data set; {leaked} problems whose "
            "premises are in it are left out"
        )
    return shots
