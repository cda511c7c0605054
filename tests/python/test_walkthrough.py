"""Runs the blocks of docs/python.md in order, as a notebook would: ```python in one namespace, ```sh in a shell."""

import contextlib
import io
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

from support import HAS_TRAINING, PROGRAM, ROOT, import_or_skip, plain_environment


class Walkthrough(unittest.TestCase):
    @unittest.skipUnless(HAS_TRAINING, "this build has no training half")
    def test_every_block_runs(self) -> None:
        import_or_skip("pandas")
        page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```(python|sh)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
        self.assertGreaterEqual(len(blocks), 7)
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("docs", "models"):
                (Path(folder) / name).symlink_to(ROOT / name)
            os.chdir(folder)
            said = self.run_blocks(blocks)
            os.chdir(before)
        self.assertIn("('World', 'Sports', 'Business', 'Sci/Tech')", said)
        self.assertIn("['delivery' 'billing']", said)
        self.assertIn("target_unreachable", said)
        accuracy = float(re.findall(r"accuracy ([0-9.]+)", said)[0])
        self.assertGreater(accuracy, 0.8)

    def run_blocks(self, blocks: "list[tuple[str, str]]") -> str:
        environment = plain_environment()
        environment["PATH"] = f"{PROGRAM.parent}{os.pathsep}{environment['PATH']}"
        namespace: "dict[str, Any]" = {}
        said = io.StringIO()
        for language, code in blocks:
            with self.subTest(code=code), contextlib.redirect_stdout(said):
                if language == "sh":
                    subprocess.run(["sh", "-ec", code], env=environment, check=True, capture_output=True)
                else:
                    exec(compile(code, "docs/python.md", "exec"), namespace)
        return said.getvalue()


if __name__ == "__main__":
    unittest.main()
