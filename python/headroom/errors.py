"""The one exception type of headroom, as in C++: a code, the operation, the fact and likely cause."""

from typing import Literal

ErrorCode = Literal[
    "runtime", "usage", "bad_data", "bad_model", "target_unreachable", "interrupted"
]


class Error(Exception):
    """What the engine refuses, and why.

    ``code`` is the word that ``headroom --json`` prints and the server's log uses: ``"usage"`` for a
    budget outside (0, 1], ``"bad_model"`` for a damaged checkpoint, ``"target_unreachable"`` for a
    latency that no calibrated budget meets. docs/cli.md lists them all.
    """

    code: ErrorCode
    operation: str
    message: str

    def __init__(self, code: ErrorCode, operation: str, message: str) -> None:
        super().__init__(code, operation, message)
        self.code = code
        self.operation = operation
        self.message = message

    def __str__(self) -> str:
        return f"{self.operation}: {self.message}"
