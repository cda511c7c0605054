"""score_partition() in the forms in which Spark, Ray and Dask hand partitions over; none of them is needed."""

import os
import runpy
import tempfile
import unittest
from pathlib import Path
from typing import Any, Iterator
from unittest import mock

import headroom
import numpy as np
from headroom import model as model_module
from headroom import partition as partition_module
from support import MODEL, ROOT, TEXTS, command, import_or_skip

EXPECTED = headroom.load(MODEL).classify(TEXTS, budget=0.5)
EXAMPLES = ROOT / "docs" / "examples"


class Partitions(unittest.TestCase):
    def test_texts_give_a_row_each(self) -> None:
        for texts in (TEXTS, iter(TEXTS), np.array(TEXTS)):
            rows = list(headroom.score_partition(texts, MODEL, budget=0.5))
            self.assertEqual([row["label"] for row in rows], EXPECTED.labels)
            self.assertEqual([row["probability"] for row in rows], EXPECTED.probabilities.tolist())
            self.assertTrue(all(type(value) in (str, float, int) for value in rows[0].values()))
        self.assertEqual(list(headroom.score_partition([], MODEL)), [])

    def test_an_iterator_is_read_as_answers_are_taken(self) -> None:
        taken = []

        def source() -> Iterator[str]:
            for text in TEXTS:
                taken.append(text)
                yield text

        with mock.patch.object(partition_module, "BATCH", 2):
            answers = headroom.score_partition(source(), MODEL, budget=0.5)
            self.assertEqual(taken, [])
            self.assertEqual(next(answers)["label"], EXPECTED.labels[0])
            self.assertEqual(len(taken), 2)
            self.assertEqual([row["label"] for row in answers], EXPECTED.labels[1:])

    def test_columns_get_columns_beside_them(self) -> None:
        batch = {"id": np.arange(5), "body": np.array(TEXTS)}
        scored = headroom.score_partition(batch, MODEL, text="body", budget=0.5)
        self.assertEqual(list(scored), ["id", "body", "label", "probability", "budget", "tokens"])
        np.testing.assert_array_equal(scored["probability"], EXPECTED.probabilities)
        with self.assertRaisesRegex(KeyError, "text=..."):
            headroom.score_partition(batch, MODEL)

    def test_tables_keep_their_rows(self) -> None:
        pandas = import_or_skip("pandas")
        table = pandas.DataFrame({"id": range(5), "text": TEXTS}, index=list("abcde"))
        scored = headroom.score_partition(table, MODEL, budget=0.5)
        self.assertEqual(scored["label"].to_dict(), dict(zip("abcde", EXPECTED.labels)))
        self.assertEqual(scored["id"].tolist(), list(range(5)))
        of_series = headroom.score_partition(table["text"], MODEL, budget=0.5)
        pandas.testing.assert_frame_equal(of_series, scored[of_series.columns])
        parts = list(headroom.score_partition(iter([table[:2], table[2:]]), MODEL, budget=0.5))
        pandas.testing.assert_frame_equal(pandas.concat(parts), scored)

    def test_what_is_no_partition_is_refused(self) -> None:
        for wrong in ("a text", 3):
            with self.assertRaisesRegex(TypeError, "a partition is"):
                headroom.score_partition(wrong, MODEL)
        with self.assertRaisesRegex(TypeError, r"texts\[1\] is int"):
            list(headroom.score_partition(["a", 3], MODEL))

    def test_a_process_loads_a_model_once(self) -> None:
        given = headroom.load(MODEL, precision="bf16")
        list(headroom.score_partition(TEXTS, given))
        with mock.patch.object(model_module, "Model", side_effect=AssertionError("loaded again")):
            list(headroom.score_partition(TEXTS, str(MODEL), precision="bf16"))

    @unittest.skipUnless(hasattr(os, "fork"), "needs fork")
    def test_a_forked_process_loads_its_own(self) -> None:
        parent = model_module.cached_model(MODEL, threads=2)
        child = os.fork()
        if child == 0:
            same = model_module.cached_model(MODEL, threads=2) is parent
            os._exit(1 if same or len(list(headroom.score_partition(TEXTS, MODEL, threads=2))) != 5 else 0)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)

    def test_other_outputs(self) -> None:
        keys = {"bert-embed-mean": "embedding", "bert-ner": "entities", "bert-multilabel": "labels"}
        with tempfile.TemporaryDirectory() as folder:
            for name, key in keys.items():
                out = Path(folder) / name
                command("import", "--from", str(ROOT / "tests/data/hf" / name), "--out", str(out))
                with self.subTest(name=name):
                    rows = list(headroom.score_partition(TEXTS, out))
                    self.assertEqual([list(row) for row in rows], [[key]] * 5)


class Examples(unittest.TestCase):
    """docs/examples with stand-ins that hand partitions over as Spark and Ray do."""

    def test_spark(self) -> None:
        pandas = import_or_skip("pandas")
        score = runpy.run_path(str(EXAMPLES / "spark_score.py"))["score"]
        table = pandas.DataFrame({"id": range(5), "text": TEXTS})

        class Frame:
            """Two partitions, the first in two batches; Spark compares columns with the schema."""

            def mapInPandas(self, function: Any, schema: str) -> Any:
                parts = [[table[:1], table[1:2]], [table[2:]]]
                done = pandas.concat([each for part in parts for each in function(iter(part))])
                names = [column.split()[0] for column in schema.split(",")]
                assert names == done.columns.tolist(), (names, done.columns)
                return done

        scored = score(Frame(), str(MODEL), budget=0.5)
        self.assertEqual(scored["label"].tolist(), EXPECTED.labels)

    def test_ray(self) -> None:
        score = runpy.run_path(str(EXAMPLES / "ray_score.py"))["score"]

        class Dataset:
            def map_batches(self, function: Any, **options: Any) -> Any:
                batch = {"id": np.arange(5), "text": np.array(TEXTS, dtype=object)}
                assert options["batch_format"] == "numpy"
                return function(batch, **options["fn_kwargs"])

        scored = score(Dataset(), str(MODEL), budget=0.5)
        self.assertEqual(scored["label"].tolist(), EXPECTED.labels)
        self.assertEqual(scored["id"].tolist(), list(range(5)))


if __name__ == "__main__":
    unittest.main()
