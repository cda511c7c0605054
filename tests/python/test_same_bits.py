"""The same text gets the same bits from Python, from the command line and from the server."""

import json
import subprocess
import unittest
import urllib.request
from typing import Any

import headroom
from support import HAS_SERVER, MODEL, PROGRAM, TEXTS, command, plain_environment


def scores_by_label(model: headroom.Model, answer: headroom.Answer) -> "dict[str, float]":
    return dict(zip(model.labels, answer.scores.tolist()))


def ask(url: str, question: "dict[str, Any]") -> "dict[str, Any]":
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(url, json.dumps(question).encode(), headers)
    with urllib.request.urlopen(request) as response:
        answer: "dict[str, Any]" = json.load(response)
        return answer


class SameBits(unittest.TestCase):
    def test_as_the_command_line(self) -> None:
        for precision, budget in [("fp32", 1), ("fp32", 0.25), ("bf16", 0.5), ("int8", 0.125)]:
            with self.subTest(precision=precision, budget=budget):
                model = headroom.load(MODEL, precision=precision, threads=2)
                lines = command(
                    *["predict", "--model", str(MODEL), "--json", "--input", "jsonl"],
                    *["--precision", precision, "--budget", str(budget)],
                    text="".join(json.dumps({"text": text}) + "\n" for text in TEXTS),
                ).splitlines()
                answers = model.classify(TEXTS, budget=budget)
                self.assertEqual(len(lines), len(TEXTS))
                for line, answer in zip(map(json.loads, lines), answers):
                    self.assertEqual(line["scores"], scores_by_label(model, answer))
                    self.assertEqual(line["label"], answer.label)
                    self.assertEqual(line["active_heads"], answer.active_heads)
                    self.assertEqual(line["tokens"], answer.tokens)

    @unittest.skipUnless(HAS_SERVER, "this build has no server")
    def test_as_the_server(self) -> None:
        model = headroom.load(MODEL)
        arguments = ["serve", "--model", f"news={MODEL}", "--port", "0", "--json"]
        with subprocess.Popen(
            [str(PROGRAM), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=plain_environment(),
        ) as server:
            try:
                assert server.stdout is not None
                address = json.loads(server.stdout.readline())["listening"]
                for budget in [1, 0.5, 0.125]:
                    served = ask(f"{address}/v1/classify", {"inputs": TEXTS, "budget": budget})
                    answers = model.classify(TEXTS, budget=budget)
                    self.assertEqual(len(served["answers"]), len(TEXTS))
                    for line, answer in zip(served["answers"], answers):
                        self.assertEqual(line["scores"], scores_by_label(model, answer))
            finally:
                server.terminate()


if __name__ == "__main__":
    unittest.main()
