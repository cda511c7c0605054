"""Builds the compiled half of the Python package with CMake; pyproject.toml has the rest."""

import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).parent.resolve()
BUILD = Path("build/pip")  # build/ itself is CMake's


class CMakeBuild(build_ext):
    """One target of the project's CMake build, without libtorch, server and tests."""

    def build_extension(self, ext: Extension) -> None:
        built = Path(self.build_temp).resolve() / "cmake"
        generator = [] if "CMAKE_GENERATOR" in os.environ else ["-G", "Ninja"]
        subprocess.run(
            ["cmake", "-S", str(ROOT), "-B", str(built), *generator]
            + ["-DCMAKE_BUILD_TYPE=Release", "-DHEADROOM_PYTHON=ON", "-DHEADROOM_TRAINING=OFF"]
            + ["-DHEADROOM_TESTS=OFF", f"-DPython_EXECUTABLE={sys.executable}"],
            check=True,
        )
        # Two compilers at a time, as `make build`; CMAKE_BUILD_PARALLEL_LEVEL says otherwise.
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", "2")
        subprocess.run(
            ["cmake", "--build", str(built), "--target", "headroom_python", "-j", jobs], check=True
        )
        target = Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(built / "python" / "headroom" / target.name), str(target))


def project_version() -> str:
    """The one in CMakeLists.txt."""
    text = (ROOT / "CMakeLists.txt").read_text()
    found = re.search(r"project\(headroom VERSION ([0-9.]+)", text)
    if found is None:
        raise RuntimeError("CMakeLists.txt names no version")
    return found.group(1)


(ROOT / BUILD).mkdir(parents=True, exist_ok=True)
setup(
    version=project_version(),
    ext_modules=[Extension("headroom._engine", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
    options={"build": {"build_base": str(BUILD)}, "egg_info": {"egg_base": str(BUILD)}},
)
