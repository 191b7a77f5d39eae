"""Ask for a reply through Inspect, again if it has no answer, and say why it may have none."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from inspect_ai._util.error import PrerequisiteError  # the error that Inspect prints without a traceback
from inspect_ai.model import ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from merge_snli.answers.replies import CUT, EMPTY, FILTERED
from merge_snli.base.errors import InputError

# Share of questions that may fail before a run stops; `inspect eval-retry` asks them again.
FAILING = 0.1
# Why a reply that cannot be read ended where it does.
ENDED = {"max_tokens": CUT, "model_length": CUT, "content_filter": FILTERED}


def kind_of(output: ModelOutput) -> str | None:
    """Return why a reply may have no answer, as far as its provider says; None if it does not."""
    ended = None if output.empty else ENDED.get(output.stop_reason)
    if ended is None and not output.completion.strip():
        return EMPTY
    return ended


@contextmanager
def shown_by_inspect() -> Iterator[None]:
    """Raise an `InputError` as the error that Inspect prints without a traceback."""
    try:
        yield
    except InputError as error:
        raise PrerequisiteError(str(error)) from error


def check_ask_again(times: int) -> None:
    """Check how often a question may be asked again.

    Raises:
        InputError: If that is not a number from 0 on.
    """
    if type(times) is not int or times < 0:
        raise InputError(f"⟦ask_again⟧ is {times!r}: give a number of times, 0 or more")


async def ask_until(
    state: TaskState, generate: Generate, times: int, has_answer: Callable[[TaskState], bool]
) -> TaskState:
    """Return the state with a reply, after asking again up to `times` times until the reply has an answer."""
    asked = list(state.messages)
    for _ in range(times + 1):
        state.messages = list(asked)
        state = await generate(state)
        if has_answer(state):
            break
    return state


@solver
def ask(ask_again: int) -> Solver:
    """Ask a question, again while the reply is empty or refused by the provider."""

    def has_answer(state: TaskState) -> bool:
        return kind_of(state.output) not in (EMPTY, FILTERED)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        return await ask_until(state, generate, ask_again, has_answer)

    return solve
