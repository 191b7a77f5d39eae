"""Asking the Hub: what passes by itself is tried again, everything else ends in one sentence."""

from __future__ import annotations

import json
import logging
import time
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, TypeVar

from merge_snli.errors import InputError, reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from huggingface_hub import HfApi

Answer = TypeVar("Answer")

TRIES = 5
MAX_WAIT_SECONDS = 300
"""Seconds: where the Hub asks for more, a person should decide."""

PASSING = frozenset({408, 409, 429, 500, 502, 503, 504})
"""Answers that may be another a moment later; 409 says that another commit is being made."""

REFUSALS = {
    400: "the Hub does not accept what was sent to {repo}",
    401: "the Hub does not accept the token: log in again with `hf auth login`, or put another into HF_TOKEN",
    402: "the Hub asks for a paid plan for {repo}: see its page",
    403: "the token may not do this with {repo}: take one with the right to write there",
    404: "the Hub has no {repo}, or the token may not see it: check the name, and who may see it",
    409: "another commit is being made in {repo}: try again in a minute",
    412: "somebody else has changed {repo} meanwhile, and nothing of theirs was overwritten: look at it and try again",
    413: "what was sent to {repo} is too large for the Hub",
    429: "the Hub has had too many requests: try again later",
}
"""What an answer means and what to do; `{repo}` is named."""

logger = logging.getLogger(__name__)


class UnsureError(InputError):
    """The Hub went away after a commit was sent, so that nobody here knows whether it was made."""


def find_api() -> HfApi:
    """Return a client with the token of the usual places.

    Raises:
        InputError: Where there is none, one that cannot be sent, or the Hub is not to be asked at all.
    """
    from huggingface_hub import HfApi, constants, get_token

    if constants.HF_HUB_OFFLINE:
        raise InputError("HF_HUB_OFFLINE is set, so the Hub is not asked: unset it to publish, or try --dry-run")
    token = get_token()
    if token is None:
        raise InputError("publishing needs a token of the Hub: log in with `hf auth login`, or put one into HF_TOKEN")
    if not token.isascii() or not token.isprintable() or " " in token:
        raise InputError("the token has characters that no token of the Hub has: log in again with `hf auth login`")
    return HfApi(token=token)


def ask(repo: str, call: Callable[[], Answer], *, tries: int = TRIES) -> Answer:
    """Ask the Hub, again where the failure may pass by itself.

    Args:
        repo: What it is about, for messages.
        call: Asks; must do no harm when it is called again after an answer got lost.
        tries: How often it is called at most.

    Raises:
        InputError: With one sentence, where the Hub refuses or cannot be reached.
    """
    for attempt in range(tries):
        try:
            return call()
        except failures() as error:
            if attempt + 1 == tries or not passes(error):
                raise explained(error, repo) from error
            wait(error, attempt)
    raise AssertionError("the last try returns or raises")


def passes(error: BaseException) -> bool:
    """Tell whether a failure may be gone at the next try."""
    status = status_of(error)
    if status is not None:
        return status in PASSING and asked_wait(error) <= MAX_WAIT_SECONDS
    return isinstance(error, failures())


def wait(error: BaseException, attempt: int) -> None:
    """Wait as long as the Hub asks, else 1, 2, 4, 8 seconds."""
    seconds = asked_wait(error) or float(2**attempt)
    logger.warning("%s; trying again in %g s", _what(error), seconds)
    time.sleep(seconds)


def asked_wait(error: BaseException) -> float:
    """Return for how many seconds the Hub asks to wait, 0 where it does not."""
    from huggingface_hub.utils import parse_ratelimit_headers  # type: ignore[attr-defined]

    response = getattr(_http_error(error), "response", None)
    if response is None:
        return 0
    headers: Mapping[str, str] = response.headers
    limit = parse_ratelimit_headers(headers)
    if limit is not None and limit.remaining == 0:
        return limit.reset_in_seconds
    asked = headers.get("Retry-After", "").strip()
    if asked.isdigit():
        return int(asked)
    try:
        return max(0.0, parsedate_to_datetime(asked).timestamp() - time.time())
    except ValueError:
        return 0


def status_of(error: BaseException) -> int | None:
    """Return the HTTP status of the answer that a failure came from; None where no answer came."""
    response = getattr(_http_error(error), "response", None)
    return None if response is None else int(response.status_code)


def explained(error: BaseException, repo: str) -> InputError:
    """Return a failure as one sentence: what the Hub says, what it means, what to do."""
    status = status_of(error)
    if status is None:
        if not isinstance(error, failures()):
            return InputError(f"{repo}: {' '.join(str(error).split())}")
        return InputError(f"the Hub could not be reached for {repo} ({_what(error)}): try again later")
    meaning = REFUSALS.get(status, "the Hub has a fault of its own: try again later")
    seconds = asked_wait(error)
    after = f", in {seconds:.0f} seconds" if seconds else ""
    said = getattr(_http_error(error), "server_message", None)
    told = f"{status}: {' '.join(said.split()).rstrip('.')}" if said else str(status)
    return InputError(f"{meaning.format(repo=repo)}{after} ({told})")


def _what(error: BaseException) -> str:
    """Return in a few words what went wrong; no address, since addresses of uploads are signed."""
    status = status_of(error)
    if status is not None:
        return f"the Hub answers {status}"
    found = _http_error(error) or error
    return reason(found) if "://" not in str(found) else type(found).__name__


def _http_error(error: BaseException) -> BaseException | None:
    """Return the HTTP error in a chain of causes: uploads wrap theirs."""
    seen: BaseException | None = error
    while seen is not None and not isinstance(seen, failures()[0]):
        seen = seen.__cause__
    return seen


def failures() -> tuple[type[Exception], ...]:
    """Return what the client raises: HTTP errors, what wraps those of uploads, and answers that are cut short."""
    from huggingface_hub.errors import HTTPError  # type: ignore[attr-defined]

    return (HTTPError, RuntimeError, json.JSONDecodeError)


@contextmanager
def no_addresses_logged() -> Iterator[None]:
    """Keep the client from logging addresses: those of uploads are signed."""

    def has_none(record: logging.LogRecord) -> bool:
        return "://" not in record.getMessage()

    loggers = [logging.getLogger(f"huggingface_hub.{name}") for name in ("utils._http", "hf_api", "lfs")]
    for each in loggers:
        each.addFilter(has_none)
    try:
        yield
    finally:
        for each in loggers:
            each.removeFilter(has_none)
