"""The command line behind the package: where `headroom` lies, and one call of it. Training, evaluation and
reports run there, so that their numbers are those of the shell and the package links no libtorch."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, Any

from .errors import Error

_HERE = Path(__file__).absolute().parent


def find_program(*, training: bool = False) -> Path:
    """The program `headroom`; with ``training`` one that `headroom-train` lies beside.

    Looked for at ``$HEADROOM_PROGRAM``, inside the package, beside a build folder's package, in ``$PATH``.
    """
    named = os.environ.get("HEADROOM_PROGRAM")
    in_path = shutil.which("headroom")
    places = [named, _HERE / "bin" / "headroom", _HERE.parents[1] / "bin" / "headroom", in_path]
    found = [Path(place) for place in places if place and Path(place).is_file()]
    for program in found:
        if not training or program.resolve().with_name("headroom-train").is_file():
            return program
    if not found:
        raise Error("runtime", "find headroom", "the program is neither in the package nor in $PATH; "
                    "set HEADROOM_PROGRAM to build/bin/headroom of a build")
    raise Error("runtime", "find headroom-train", f"there is none beside {found[0]}: this package was "
                "built without its training half. HEADROOM_TRAINING=ON pip install . builds it, or set "
                "HEADROOM_PROGRAM to a headroom that has one (make build)")


def run_program(
    arguments: list[str], *, training: bool = False, verbose: bool = False
) -> list[dict[str, Any]]:
    """The JSON lines that `headroom ARGUMENTS --json` prints; ``verbose`` passes its progress on to
    ``sys.stderr``. What it refuses is raised as Error. Ctrl-C ends it too, and waits for it."""
    program = find_program(training=training)
    process = subprocess.Popen(
        [str(program), *arguments, "--json"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    )
    assert process.stdout is not None and process.stderr is not None
    said: list[str] = []
    listener = threading.Thread(target=_listen, args=(process.stderr, said, verbose), daemon=True)
    listener.start()
    try:
        lines = [json.loads(line) for line in process.stdout if line.startswith("{")]
        code = process.wait()
    except BaseException:
        process.terminate()
        process.wait()
        raise
    finally:
        listener.join()
        process.stdout.close()
        process.stderr.close()
    for line in lines:
        if "error" in line:
            raise Error(**line["error"])
    if code != 0:
        raise Error("runtime", f"headroom {arguments[0]}", f"ended with {code}: {' '.join(said[-3:])}")
    return lines


def _listen(stream: IO[str], said: list[str], verbose: bool) -> None:
    for line in stream:
        said.append(line.strip())
        if verbose:
            print(line, end="", file=sys.stderr, flush=True)


def main() -> None:
    """`headroom`, as pip installs it: the package's own program."""
    program = str(find_program())
    os.execv(program, [program, *sys.argv[1:]])
