"""The Python package as its users see it."""

import ast
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import headroom
import headroom._engine
import numpy as np
from headroom.model import cached_model
from support import MODEL, ROOT, TEXTS, command, import_or_skip

model = headroom.load(MODEL)


def tokens_of(text: str) -> "np.ndarray[tuple[int], np.dtype[np.int32]]":
    """Whole words of the vocabulary between [CLS] and [SEP]: enough of a tokenizer for a test."""
    words = (MODEL / "vocab.txt").read_text(encoding="utf-8").splitlines()
    return np.array([words.index(word) for word in ["[CLS]", *text.split(), "[SEP]"]], np.int32)


def classify_in_another_process(sent: headroom.Model) -> "np.ndarray[tuple[int, int], np.dtype[np.float64]]":
    return sent.classify(TEXTS).scores


class Classify(unittest.TestCase):
    def test_a_text_gets_an_answer(self) -> None:
        answer = model.classify(TEXTS[1], budget=0.5)
        self.assertEqual(answer.label, "Sports")
        self.assertEqual(answer.scores.shape, (len(model.labels),))
        self.assertEqual(answer.budget, 0.5)
        self.assertEqual(answer.active_heads, 0.5)
        self.assertIs(answer.predicted_milliseconds, None)

    def test_a_list_gets_numpy_columns(self) -> None:
        answers = model.classify(TEXTS)
        self.assertEqual(answers.scores.dtype, np.float64)
        self.assertEqual(answers.scores.shape, (len(TEXTS), len(model.labels)))
        np.testing.assert_array_equal(answers.label_ids, answers.scores.argmax(axis=1))
        self.assertEqual(answers.labels[1], "Sports")
        self.assertEqual([answer.label for answer in answers], answers.labels)

    def test_a_text_gets_the_same_bits_alone_and_among_others(self) -> None:
        answers = model.classify(TEXTS, budget=0.25)
        for text, answer in zip(TEXTS, answers):
            alone = model.classify(text, budget=0.25)
            np.testing.assert_array_equal(answer.scores, alone.scores)

    def test_each_text_may_have_its_own_budget(self) -> None:
        budgets = np.array([1, 0.5, 0.25, 0.125, 1])
        answers = model.classify(TEXTS, budget=budgets)
        np.testing.assert_array_equal(answers.budgets, budgets)
        np.testing.assert_array_equal(
            answers[2].scores, model.classify(TEXTS[2], budget=0.25).scores
        )

    def test_an_array_of_texts_is_a_list_of_texts(self) -> None:
        array = np.array(TEXTS)
        np.testing.assert_array_equal(model.classify(array).scores, model.classify(TEXTS).scores)

    def test_a_pair_is_not_its_first_text(self) -> None:
        alone = model.classify(TEXTS[0])
        paired = model.classify(TEXTS[0], pairs=TEXTS[1])
        self.assertGreater(paired.tokens, alone.tokens)

    def test_no_texts_get_no_answers(self) -> None:
        answers = model.classify([])
        self.assertEqual(len(answers), 0)
        self.assertEqual(answers.scores.shape, (0, len(model.labels)))

    def test_less_budget_is_less_work(self) -> None:
        self.assertLess(model.work(64, budget=0.25).model, model.work(64).model)
        with self.assertRaisesRegex(ValueError, "at least 1"):
            model.work(0)


class ClassifyTokens(unittest.TestCase):
    first = tokens_of("oil prices fell for a third day")
    second = tokens_of("the champions won the final")

    def test_tokens_get_the_bits_of_their_text(self) -> None:
        answers = model.classify_tokens([self.first], budget=0.5)
        np.testing.assert_array_equal(
            answers[0].scores, model.classify(TEXTS[0], budget=0.5).scores
        )

    def test_a_padded_matrix_is_its_rows_without_padding(self) -> None:
        width = max(len(self.first), len(self.second))
        rows = [self.first, self.second]
        ids = np.array([np.pad(row, (0, width - len(row))) for row in rows], np.int64)
        mask = np.array([np.arange(width) < len(row) for row in rows], np.int64)
        np.testing.assert_array_equal(
            model.classify_tokens(ids, mask=mask).scores, model.classify_tokens(rows).scores
        )

    def test_types_of_zero_are_the_default(self) -> None:
        types = [np.zeros_like(self.first)]
        np.testing.assert_array_equal(
            model.classify_tokens([self.first], types=types).scores,
            model.classify_tokens([self.first]).scores,
        )

    def test_what_is_no_row_of_tokens_is_refused(self) -> None:
        for rows, problem in [
            ([np.array([1.5])], TypeError),
            ([np.array([[1]])], TypeError),
            ([np.array([2**40])], ValueError),
            ([np.array([10**6])], headroom.Error),
            ([np.array([], np.int32)], headroom.Error),
        ]:
            with self.subTest(rows=rows), self.assertRaises(problem):
                model.classify_tokens(rows)

    def test_no_rows_get_no_answers(self) -> None:
        none = np.zeros((0, 5), np.int64)
        self.assertEqual(len(model.classify_tokens(none, mask=none)), 0)

    def test_a_mask_with_a_gap_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "gap"):
            model.classify_tokens([[2, 5, 3]], mask=[[1, 0, 1]])

    def test_types_of_other_lengths_are_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "types"):
            model.classify_tokens([[2, 5, 3]], types=[[0, 0]])


class Errors(unittest.TestCase):
    def test_a_budget_out_of_range_is_a_usage_error(self) -> None:
        for budget in [0, -1, 1.5, float("nan")]:
            with self.subTest(budget=budget), self.assertRaises(headroom.Error) as caught:
                model.classify("a", budget=budget)
            self.assertEqual(caught.exception.code, "usage")

    def test_auto_needs_a_policy(self) -> None:
        with self.assertRaisesRegex(headroom.Error, "headroom tune"):
            model.classify("a", budget="auto")
        with self.assertRaisesRegex(ValueError, "auto"):
            model.classify("a", budget="automatic")  # type: ignore[call-overload]

    def test_a_missing_checkpoint_is_a_bad_model(self) -> None:
        with self.assertRaises(headroom.Error) as caught:
            headroom.load("no-such-folder")
        self.assertEqual(caught.exception.code, "bad_model")
        self.assertIn("no-such-folder", str(caught.exception))

    def test_an_error_survives_a_process_boundary(self) -> None:
        error = headroom.Error("usage", "classify", "why")
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((again.code, str(again)), ("usage", "classify: why"))

    def test_a_latency_needs_a_calibrated_machine(self) -> None:
        with self.assertRaisesRegex(headroom.Error, "calibrate"):
            model.classify("a", latency_ms=5)

    def test_what_is_no_text_is_named(self) -> None:
        with self.assertRaisesRegex(TypeError, r"texts\[1\] is int"):
            model.classify(["a", 1])  # type: ignore[list-item]
        with self.assertRaises(TypeError):
            model.classify(["\ud800"])  # half a character: no UTF-8

    def test_numbers_that_do_not_match_the_texts_are_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "budget has shape"):
            model.classify(TEXTS, budget=[0.5, 1])
        with self.assertRaisesRegex(ValueError, "pairs"):
            model.classify(TEXTS, pairs=["a"])
        with self.assertRaisesRegex(ValueError, "not both"):
            model.classify("a", budget=1, latency_ms=1)

    def test_an_unknown_precision_is_refused(self) -> None:
        with self.assertRaisesRegex(headroom.Error, "fp64"):
            headroom.load(MODEL, precision="fp64")  # type: ignore[arg-type]


class Paths(unittest.TestCase):
    def test_a_model_pickles_as_its_path(self) -> None:
        pickled = pickle.dumps(headroom.Model(MODEL, precision="bf16"))
        self.assertLess(len(pickled), 1000)
        again = pickle.loads(pickled)
        self.assertEqual((again.directory, again.precision, again.threads), (str(MODEL), "bf16", 1))
        self.assertIs(pickle.loads(pickled), again, "loaded once a process")
        with ProcessPoolExecutor(1) as pool:
            scores = pool.submit(classify_in_another_process, model).result()
        np.testing.assert_array_equal(scores, model.classify(TEXTS).scores)

    def test_a_checkpoint_that_changed_is_loaded_again(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "model"
            shutil.copytree(MODEL, copy)
            before = cached_model(copy)
            (copy / "README.md").unlink()
            os.utime(copy, ns=(1, 1))
            self.assertIsNot(cached_model(copy), before)

    def test_its_repr_says_what_it_is(self) -> None:
        for fact in ["news-mini", "classify", "4 labels", "fp32", model.instruction_set]:
            self.assertIn(fact, repr(model))
        self.assertIn("Answers to 5 texts", repr(model.classify(TEXTS)))

    def test_arguments_of_other_types_are_named(self) -> None:
        for wrong in [lambda: headroom.Model(3), lambda: headroom.Model(MODEL, threads="two")]:
            with self.assertRaises(TypeError):
                wrong()  # type: ignore[no-untyped-call]
        with self.assertRaisesRegex(TypeError, "budget is .*half.*expected a number"):
            model.classify(TEXTS, budget=["half"] * 5)


class Tables(unittest.TestCase):
    def test_a_series_gets_its_index_back(self) -> None:
        pandas = import_or_skip("pandas")
        series = pandas.Series(TEXTS, index=list("edcba"), name="headline")
        answers = model.classify(series, budget=0.5)
        expected = model.classify(TEXTS, budget=0.5)
        self.assertEqual(answers.to_series().to_dict(), dict(zip("edcba", expected.labels)))
        frame = answers.to_frame()
        self.assertEqual(frame.columns.tolist(), ["label", "probability", "budget", "tokens"])
        self.assertEqual(frame.index.tolist(), list("edcba"))
        np.testing.assert_array_equal(frame["probability"], expected.scores.max(axis=1))
        self.assertEqual(expected.to_frame().index.tolist(), list(range(5)))

    def test_a_table_and_gaps_in_it_are_refused(self) -> None:
        pandas = import_or_skip("pandas")
        with self.assertRaisesRegex(TypeError, 'give its column of texts, such as table."text"'):
            model.classify(pandas.DataFrame({"text": TEXTS}))
        for gap in [pandas.Series(["a", None]), pandas.Series(["a", pandas.NA], dtype="string")]:
            with self.assertRaisesRegex(TypeError, r"texts\[1\] .*fillna"):
                model.classify(gap)


class Latency(unittest.TestCase):
    def test_a_calibrated_machine_takes_milliseconds(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for file in MODEL.iterdir():
                shutil.copy(file, folder)
            command("calibrate", "--model", folder, "--precision", "fp32",
                    "--rounds", "5", "--tokens", "8,16")
            calibrated = headroom.load(folder)
        answers = calibrated.classify(TEXTS, latency_ms=10_000)
        self.assertEqual(answers.budgets.tolist(), [1.0] * len(TEXTS))
        assert answers.predicted_milliseconds is not None
        self.assertEqual(answers.predicted_milliseconds.shape, (len(TEXTS),))
        with self.assertRaises(headroom.Error) as caught:
            calibrated.classify("a", latency_ms=1e-9)
        self.assertEqual(caught.exception.code, "target_unreachable")


class Threads(unittest.TestCase):
    def test_threads_share_a_model(self) -> None:
        expected = model.classify(TEXTS, budget=0.5).scores
        with ThreadPoolExecutor(4) as pool:
            for scores in pool.map(lambda _: model.classify(TEXTS, budget=0.5).scores, range(32)):
                np.testing.assert_array_equal(scores, expected)

    def test_other_threads_run_while_it_works(self) -> None:
        gate = threading.Event()
        ran = threading.Event()

        def wait_then_run() -> None:
            gate.wait()
            ran.set()

        other = threading.Thread(target=wait_then_run)
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1000)  # this thread keeps the interpreter until it gives it away
        try:
            other.start()
            gate.set()
            model.classify(TEXTS * 40)
            self.assertTrue(ran.is_set())
        finally:
            sys.setswitchinterval(interval)
            other.join()


class Stubs(unittest.TestCase):
    def test_the_stubs_name_what_the_engine_has(self) -> None:
        tree = ast.parse((ROOT / "python" / "headroom" / "_engine.pyi").read_text())
        described = next(node for node in tree.body if isinstance(node, ast.ClassDef))
        names = {node.name for node in described.body if isinstance(node, ast.FunctionDef)}
        real = {name for name in vars(headroom._engine.Model) if not name.startswith("_")}
        self.assertEqual(names - {"__init__"}, real)

    def test_what_is_public_is_documented(self) -> None:
        types_alone = {"Aggregation", "ErrorCode", "Precision", "TokenRows", "__version__"}
        for name in set(headroom.__all__) - types_alone:
            public = getattr(headroom, name)
            self.assertTrue(public.__doc__, name)
            for member, value in vars(public).items() if isinstance(public, type) else []:
                if callable(value) and not member.startswith("_"):
                    self.assertTrue(value.__doc__, f"{name}.{member}")

    def test_every_public_name_is_there(self) -> None:
        self.assertLessEqual(set(headroom.__all__), set(dir(headroom)))
        for name in headroom.__all__:
            self.assertTrue(hasattr(headroom, name), name)
        with self.assertRaises(AttributeError):
            headroom.no_such_name

    def test_importing_it_loads_nothing_large(self) -> None:
        code = "import sys, headroom; print(sorted({'numpy', 'pandas', 'sklearn'} & set(sys.modules)))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.strip(), "[]")


if __name__ == "__main__":
    unittest.main()
