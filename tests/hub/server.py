"""Run the fake Hub in a thread."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.wrappers import Request

from tests.hub.api import Api, problem
from tests.hub.faults import Fault
from tests.hub.storage import Storage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from wsgiref.types import StartResponse, WSGIEnvironment

WRITER, READER = "hf_writerWriterWriter", "hf_readerReaderReader"
"""Tokens with write access and with read access."""

RESET_ON_CLOSE = struct.pack("ii", 1, 0)
"""Value of SO_LINGER that resets a connection when it is closed."""


class Hub:
    """The fake Hub as a WSGI application.

    Attributes:
        url: Its address, the clients' `HF_ENDPOINT`.
        storage: Its repositories.
        faults: Failures of future requests.
        requests: Method and path of every request, in order.
    """

    def __init__(self) -> None:
        """Create an empty Hub."""
        self.url = ""
        self.storage = Storage()
        self.faults: list[Fault] = []
        self.requests: list[tuple[str, str]] = []
        self._lock = threading.Lock()

    def reset(self) -> None:
        """Reset everything except the address."""
        self.storage = Storage()
        self.faults = []
        self.requests = []

    def count(self, method: str, part: str) -> int:
        """Count the requests with a method and `part` in their path."""
        return sum(each == method and part in path for each, path in self.requests)

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Handle a request. Bodies are read concurrently, but requests are processed one at a time."""
        request = Request(environ)
        with self._lock:
            self.requests.append((request.method, request.path))
            fault = next((each for each in self.faults if each.applies(request.method, request.path)), None)
        if fault is not None:
            if fault.cut:
                request.stream.read(1)
                return self._cut(environ)
            if fault.status is not None:
                request.get_data()
                return problem(fault.status, fault.error, headers=fault.headers)(environ, start_response)
            if fault.meanwhile is not None:
                fault.meanwhile()
        request.get_data()
        with self._lock:
            response = Api(self.storage, self.url, writers={WRITER}, readers={READER}).answer(request)
        if fault is not None and fault.lost:
            return self._cut(environ)
        return response(environ, start_response)

    def _cut(self, environ: WSGIEnvironment) -> Iterable[bytes]:
        """Reset the connection and stop werkzeug from responding."""
        connection: socket.socket = environ["werkzeug.socket"]
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        connection.shutdown(socket.SHUT_RDWR)
        raise ConnectionResetError


class _Quiet(WSGIRequestHandler):
    """A request handler without logging and with persistent connections."""

    protocol_version = "HTTP/1.1"

    def log(self, type: str, message: str, *args: object) -> None:
        """Log nothing."""


@contextmanager
def running_hub() -> Iterator[Hub]:
    """Run a fake Hub on a free port of 127.0.0.1."""
    hub = Hub()
    server = make_server("127.0.0.1", 0, hub, threaded=True, request_handler=_Quiet)
    server.daemon_threads = True  # type: ignore[attr-defined]
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
