"""Start Label Studio on 127.0.0.1, and use it as its users do: sign up, create a project, annotate, export."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, ProxyHandler, Request, build_opener

from tests.processes import SECONDS, free_port, wait_for_server

INSTALLED = Path(__file__).parents[3] / "build" / "label-studio" / "venv" / "bin" / "label-studio"
"""Path of the program unless the variable `LABEL_STUDIO` names it."""


def program() -> Path:
    """Return the path of Label Studio's program."""
    return Path(os.environ.get("LABEL_STUDIO", INSTALLED))


@contextmanager
def running_label_studio(folder: Path) -> Iterator[str]:
    """Run Label Studio with an empty database in `folder`, and yield its URL."""
    port = free_port()
    command = [str(program()), "start", "--no-browser", "--internal-host", "127.0.0.1", "--port", str(port)]
    variables = {
        "LABEL_STUDIO_BASE_DATA_DIR": str(folder),
        "COLLECT_ANALYTICS": "false",
        "LATEST_VERSION_CHECK": "false",
        "SENTRY_DSN": "",
        "FRONTEND_SENTRY_DSN": "",
        "NO_PROXY": "127.0.0.1",
    }
    log = folder / "server.log"
    with log.open("w") as output:
        server = subprocess.Popen(
            [*command, "--data-dir", str(folder)],
            env=os.environ
            | variables
            | {"FRONTEND_SENTRY_DSN": "", "LATEST_VERSION_CHECK": "false", "NO_PROXY": "127.0.0.1"},
            cwd=folder,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_for_server(f"{url}/health", server, log)
        yield url
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(timeout=SECONDS)


class User:
    """A user of Label Studio, signed up and logged in."""

    def __init__(self, url: str, email: str) -> None:
        """Sign up."""
        self._url, self._cookies = url, CookieJar()
        self._opener = build_opener(ProxyHandler({}), HTTPCookieProcessor(self._cookies))
        self._opener.open(f"{url}/user/signup/").close()
        form = {"email": email, "password": "a long password 1", "csrfmiddlewaretoken": self._token()}
        self._opener.open(Request(f"{url}/user/signup/", urlencode(form).encode())).close()

    def _token(self) -> str:
        return str(next(cookie.value for cookie in self._cookies if cookie.name == "csrftoken"))

    def call(self, method: str, path: str, value: object = None) -> Any:  # noqa: ANN401 - any JSON value
        """Call the API; its error is part of the exception."""
        headers = {"Content-Type": "application/json", "X-CSRFToken": self._token()}
        data = None if value is None else json.dumps(value).encode()
        try:
            with self._opener.open(Request(self._url + path, data, headers, method=method)) as response:
                return json.loads(response.read() or "null")
        except HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.code} {error.read()[:500]!r}") from error

    def create_project(self, label_config: str, tasks: list[dict[str, Any]]) -> int:
        """Create a project and import its tasks; return its number."""
        number = self.call("POST", "/api/projects/", {"title": "variants", "label_config": label_config})["id"]
        assert self.call("POST", f"/api/projects/{number}/import", tasks)["task_count"] == len(tasks)
        return int(number)

    def tasks(self, project: int) -> list[dict[str, Any]]:
        """Return the tasks of a project, with their numbers and data."""
        return list(self.call("GET", f"/api/tasks?project={project}&page_size=1000&fields=all")["tasks"])

    def annotate(self, task: int, scores: tuple[int, int], comment: str = "") -> None:
        """Submit an annotation of one task."""
        choices = {name: {"choices": [str(score)]} for name, score in zip("FR", scores, strict=True)}
        result = [
            {"from_name": name, "to_name": "premise", "type": "choices", "value": value}
            for name, value in choices.items()
        ]
        if comment:
            text = {"from_name": "comment", "to_name": "premise", "type": "textarea", "value": {"text": [comment]}}
            result.append(text)
        self.call("POST", f"/api/tasks/{task}/annotations/", {"result": result})

    def export(self, project: int) -> list[dict[str, Any]]:
        """Return the export of a project in the format JSON."""
        return list(self.call("GET", f"/api/projects/{project}/export?exportType=JSON"))
