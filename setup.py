"""Builds the compiled half of the Python package with CMake; pyproject.toml has the rest.

HEADROOM_TRAINING=ON adds the training half, headroom-train, which needs libtorch to build and to run; the
wheel's version then ends in "+training".
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).parent.resolve()
BUILD = Path("build/pip")  # build/ itself is CMake's
TRAINING = os.environ.get("HEADROOM_TRAINING", "OFF").upper() in ("ON", "1", "YES", "TRUE")
PROGRAMS = ["headroom", "headroom-train"] if TRAINING else ["headroom"]


class CMakeBuild(build_ext):
    """The extension module and the programs of the project's CMake build, without tests."""

    def build_extension(self, ext: Extension) -> None:
        built = Path(self.build_temp).resolve() / "cmake"
        training = f"-DHEADROOM_TRAINING={'ON' if TRAINING else 'OFF'}"
        generator = [] if "CMAKE_GENERATOR" in os.environ else ["-G", "Ninja"]
        subprocess.run(
            ["cmake", "-S", str(ROOT), "-B", str(built), *generator]
            + ["-DCMAKE_BUILD_TYPE=Release", "-DHEADROOM_PYTHON=ON", "-DHEADROOM_TESTS=OFF"]
            + ["-DHEADROOM_BENCH=OFF", training, f"-DPython_EXECUTABLE={sys.executable}"],
            check=True,
        )
        # Two compilers at a time, as `make build`; CMAKE_BUILD_PARALLEL_LEVEL says otherwise.
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", "2")
        targets = ["headroom_python", *PROGRAMS]
        subprocess.run(
            ["cmake", "--build", str(built), "-j", jobs, "--target", *targets], check=True
        )
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(built / "python" / "headroom" / target.name), str(target))
        shutil.rmtree(target.parent / "bin", ignore_errors=True)  # a wheel of the other kind may have left one
        (target.parent / "bin").mkdir()
        for program in PROGRAMS:
            self.copy_file(str(built / "bin" / program), str(target.parent / "bin" / program))


def project_version() -> str:
    """The one in CMakeLists.txt, and whether the training half is there."""
    text = (ROOT / "CMakeLists.txt").read_text()
    found = re.search(r"project\(headroom VERSION ([0-9.]+)", text)
    if found is None:
        raise RuntimeError("CMakeLists.txt names no version")
    return found.group(1) + ("+training" if TRAINING else "")


(ROOT / BUILD).mkdir(parents=True, exist_ok=True)
setup(
    version=project_version(),
    ext_modules=[Extension("headroom._engine", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
    options={"build": {"build_base": str(BUILD)}, "egg_info": {"egg_base": str(BUILD)}},
)
