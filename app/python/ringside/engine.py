"""The program behind the package: one `ringside serve --stdio` process, to which requests go as lines of JSON."""
from __future__ import annotations

import atexit
import json
import os
import pathlib
import shutil
import subprocess
import threading
from typing import Any, Iterable, Sequence

Request = dict[str, Any]
_IN_A_LINE = 200  # requests: so many answers fit into memory on both sides


class RingsideError(ValueError):
    """What the program refused, a fault per line: `path: message (hint)`."""

    def __init__(self, text: str, status: int = 2):
        super().__init__(text.strip() or f"ringside ended with status {status}")
        self.status = status
        self.faults = [line for line in text.splitlines() if line]


def find_program() -> str:
    """$RINGSIDE, `ringside` on PATH, or the build of a source tree that this file stands in."""
    named = os.environ.get("RINGSIDE")
    if named:
        return named
    on_path = shutil.which("ringside")
    if on_path:
        return on_path
    built = pathlib.Path(__file__).resolve().parents[3] / "build/release/ringside"
    if built.exists():
        return str(built)
    raise RingsideError("ringside: the program was not found (install it, or set RINGSIDE to its path)")


class Engine:
    """Runs commands in one process, which starts with the first and is shared by threads, one line at a time."""

    def __init__(self, program: str | None = None, arguments: Sequence[str] = ()):
        self._program = program
        self._arguments = list(arguments)  # before the command: --assets FOLDER
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    def run(self, command: Sequence[str], stdin: Any = "") -> Any:
        """What the command prints: a document as Python values, anything else as text. Exit status 1, which says
        that something does not fit, is an answer; status 2 raises RingsideError."""
        return self.run_all([{"command": list(command), "stdin": stdin}])[0]

    def run_all(self, requests: Iterable[Request]) -> list[Any]:
        """The same for many commands, which share their way to the program and back."""
        return [_checked(answer) for answer in self.answers(requests)]

    def answers(self, requests: Iterable[Request]) -> list[dict[str, Any]]:
        """The answers as the program gives them: status, stdout, stderr."""
        all_requests = list(requests)
        found: list[dict[str, Any]] = []
        with self._lock:
            for start in range(0, len(all_requests), _IN_A_LINE):
                found += self._exchange(all_requests[start:start + _IN_A_LINE])
        return found

    def close(self) -> None:
        """Ends the process; the next command starts another."""
        process, self._process = self._process, None
        if process is not None:
            process.stdin.close()  # type: ignore[union-attr]
            process.wait()
            process.stdout.close()  # type: ignore[union-attr]

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _exchange(self, requests: list[Request]) -> list[dict[str, Any]]:
        process = self._process
        if process is None or process.poll() is not None:
            words = [self._program or find_program(), *self._arguments, "serve", "--stdio"]
            process = self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            process.stdin.write(json.dumps(requests).encode() + b"\n")  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
            line = process.stdout.readline()  # type: ignore[union-attr]
        except BrokenPipeError:
            line = b""
        except BaseException:  # an answer that nobody waits for would be taken for the next
            process.kill()
            raise
        if not line.endswith(b"\n"):
            self._process = None
            raise RingsideError(f"{process.args[0]}: the program ended with status {process.wait()}")  # type: ignore[index]
        answer = json.loads(line)
        if isinstance(answer, dict):  # the line itself was refused
            raise RingsideError(answer["stderr"], answer["status"])
        return answer


def _checked(answer: dict[str, Any]) -> Any:
    if answer["status"] not in (0, 1):
        raise RingsideError(answer["stderr"], answer["status"])
    return answer["stdout"]


_shared = Engine()
atexit.register(_shared.close)


def shared() -> Engine:
    """The engine that the package's functions use."""
    return _shared
