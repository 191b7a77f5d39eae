"""Call the Hub with retries, and turn its failures into messages that say what to do."""

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

from huggingface_hub import HfApi, constants, get_token
from huggingface_hub.errors import HTTPError  # type: ignore[attr-defined]
from huggingface_hub.utils import parse_ratelimit_headers  # type: ignore[attr-defined]

from merge_snli.base.errors import InputError, reason

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

MAX_ATTEMPTS = 5
# If the Hub asks for a longer wait, the command fails instead.
MAX_WAIT_SECONDS = 300

# What the client raises: HTTP errors, and the errors that it wraps them in for uploads and cards.
HUB_ERRORS = (HTTPError, RuntimeError, ValueError)

# Statuses of transient failures; 409 means that another commit is in progress.
RETRY_STATUSES = frozenset({408, 409, 429, 500, 502, 503, 504})

# What a status means and what to do about it.
MEANINGS = {
    400: "the Hub rejected the content sent to {repo}",
    401: "the Hub rejected the token: log in again with `hf auth login` or set HF_TOKEN",
    402: "the Hub requires a paid plan for {repo}: see its page",
    403: "the token has no write access to {repo}: use one that has",
    404: "{repo} does not exist on the Hub or the token cannot see it: check the name and the token",
    409: "another commit to {repo} is in progress: try again in a minute",
    412: "{repo} was changed by another commit and nothing was overwritten: review that commit, then try again",
    413: "the content sent to {repo} is too large for the Hub",
    429: "the Hub's rate limit is exceeded: try again later",
}


def find_api() -> HfApi:
    """Return a client that uses the token of `HF_TOKEN` or `hf auth login`."""
    if constants.HF_HUB_OFFLINE:
        raise InputError("HF_HUB_OFFLINE is set: unset it to publish, or add ⟦dry_run=True⟧")
    token = get_token()
    if token is None:
        raise InputError("no Hub token found: log in with `hf auth login` or set HF_TOKEN")
    if not token.isascii() or not token.isprintable() or " " in token:
        raise InputError("the Hub token has invalid characters: log in again with `hf auth login`")
    return HfApi(token=token)


def call_hub(repo: str, call: Callable[[], Result]) -> Result:
    """Call the Hub, and again after a transient failure.

    Args:
        repo: The repository's id, for messages.
        call: The call. It must be safe to repeat after its response was lost.
    """
    for attempt in range(MAX_ATTEMPTS):
        try:
            return call()
        except InputError:
            raise
        except HUB_ERRORS as error:
            seconds = _retry_delay(error, attempt)
            if seconds is None or attempt + 1 == MAX_ATTEMPTS:
                raise _input_error(error, repo) from error
            logger.warning("%s; retrying in %g s", _summary(error), seconds)
            time.sleep(seconds)
    raise AssertionError("the last attempt returns or raises")


def _retry_delay(error: Exception, attempt: int) -> float | None:
    """Return the seconds to wait before the next attempt; None if the failure is not transient."""
    http_error, response = _http_error(error)
    if http_error is None or isinstance(error, RuntimeError):  # the client has already retried an upload
        return None
    seconds = _requested_wait(response)
    if response is not None and (response.status_code not in RETRY_STATUSES or seconds > MAX_WAIT_SECONDS):
        return None
    return seconds or 2.0**attempt


def _requested_wait(response: Any) -> float:  # noqa: ANN401 - a response of httpx or None
    """Return the seconds that the Hub asks to wait, or 0."""
    headers = {} if response is None else response.headers
    limit = parse_ratelimit_headers(headers)
    if limit is not None and limit.remaining == 0:
        return float(limit.reset_in_seconds)
    seconds = headers.get("Retry-After", "").strip()
    return float(seconds) if seconds.isdigit() else 0.0


def _input_error(error: Exception, repo: str) -> InputError:
    http_error, response = _http_error(error)
    if http_error is None:
        return InputError(f"{repo}: {' '.join(str(error).split())}")
    if response is None:
        return InputError(f"cannot reach the Hub for {repo} ({_summary(error)}): try again later")
    status = response.status_code
    seconds = _requested_wait(response)
    meaning = MEANINGS.get(status, "the Hub has an internal error: try again later").format(repo=repo)
    wait = f", in {seconds:.0f} seconds" if seconds else ""
    said = getattr(http_error, "server_message", None) or ""
    message = " ".join(said.split()).rstrip(".")
    if message:
        message = f": {message}"
    return InputError(f"{meaning}{wait} ({status}{message})")


def _summary(error: Exception) -> str:
    """Return a failure in a few words, without the URL: upload URLs are signed."""
    http_error, response = _http_error(error)
    if response is not None:
        return f"the Hub returned status {response.status_code}"
    root = http_error or error
    return reason(root) if "://" not in str(root) else type(root).__name__


def _http_error(error: Exception) -> tuple[BaseException | None, Any]:
    """Return the HTTP error in a chain of causes and the response; None for what there is not."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, HTTPError):
        cause = cause.__cause__
    return cause, getattr(cause, "response", None)
