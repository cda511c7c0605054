"""What the tests share: the model in the box, a few texts, and the programs that were built."""

import os
import subprocess
import unittest
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
MODEL = ROOT / "models" / "news-mini"
PROGRAM = Path(os.environ.get("HEADROOM_TEST_BIN", ROOT / "build" / "bin")) / "headroom"
HAS_SERVER = os.environ.get("HEADROOM_TEST_SERVER", "ON") == "ON"
HAS_TRAINING = PROGRAM.with_name("headroom-train").exists()
os.environ["HEADROOM_PROGRAM"] = str(PROGRAM)  # what the package runs

TEXTS = [
    "Oil prices fell for a third day",
    "Goalkeeper saves two penalties to send the champions into the final",
    "Astronomers find water vapour around a planet that orbits a dim red star",
    "Ministers meet for talks on the border — «maybe» 北京 naïve",
    "",
]


def import_or_skip(name: str) -> Any:
    """A module of another project, where it is installed; skips the test elsewhere."""
    try:
        return import_module(name)
    except ImportError as problem:
        raise unittest.SkipTest(f"{name} is not installed") from problem


def plain_environment() -> "dict[str, str]":
    """Without settings of ours, which would be options of the programs."""
    return {name: value for name, value in os.environ.items() if not name.startswith("HEADROOM_")}


def command(*arguments: str, text: str = "") -> str:
    """What the real program prints."""
    done = subprocess.run(
        [str(PROGRAM), *arguments],
        input=text,
        capture_output=True,
        check=True,
        text=True,
        env=plain_environment(),
    )
    return done.stdout
