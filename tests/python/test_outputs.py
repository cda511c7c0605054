"""Vectors, rankings, tags and several labels through the Python package."""

import tempfile
import unittest
from pathlib import Path

import headroom
import numpy as np
from support import ROOT, command

MODELS = ROOT / "tests" / "data" / "hf"


def imported(name: str, folder: str) -> "headroom.Model":
    out = Path(folder) / name
    command("import", "--from", str(MODELS / name), "--out", str(out))
    return headroom.load(out)


class Outputs(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def test_vectors_are_a_matrix(self) -> None:
        model = imported("bert-embed-mean", self.folder.name)
        self.assertEqual(model.task, "embed")
        vectors = model.embed(["Oil prices rise", "", "Two dogs run."])
        self.assertEqual(vectors.shape, (3, 32))
        self.assertEqual(vectors.dtype, np.float32)
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
        np.testing.assert_array_equal(model.embed("Oil prices rise"), vectors[0])
        self.assertEqual(model.embed("Oil prices rise", dimensions=8).shape, (8,))
        with self.assertRaises(headroom.Error):
            model.embed("Oil", dimensions=0)
        with self.assertRaises(headroom.Error):
            model.classify("Oil")

    def test_passages_are_ranked_best_first(self) -> None:
        model = imported("bert-rerank", self.folder.name)
        passages = ["Paris is the capital of France.", "Nobody runs.", ""]
        ranked = model.rerank("what is the capital of france", passages)
        self.assertEqual(sorted(each.index for each in ranked), [0, 1, 2])
        scores = [each.score for each in ranked]
        self.assertEqual(scores, sorted(scores, reverse=True))
        self.assertTrue(all(each.text == passages[each.index] for each in ranked))
        self.assertTrue(all(each.budget == 1 for each in ranked))
        again = model.rerank("what is the capital of france", passages, budget="auto")
        self.assertEqual([each.score for each in again], scores, "a model without budgets runs whole")
        raw = model.score(["a"], pairs=["b"], raw=True)
        np.testing.assert_allclose(model.score(["a"], pairs=["b"]), 1 / (1 + np.exp(-raw)))

    def test_entities_say_where_they_stand(self) -> None:
        model = imported("bert-ner", self.folder.name)
        text = "Angela Merkel besuchte Zürich und Köln 🙂"
        for aggregation in ("simple", "first", "average", "max"):
            for entity in model.tag(text, aggregation=aggregation):  # type: ignore[call-overload]
                self.assertEqual(text[entity.start : entity.end], entity.text)
        self.assertEqual(model.tag(["", ""]), [[], []])

    def test_several_labels_are_those_above_their_thresholds(self) -> None:
        model = imported("bert-multilabel", self.folder.name)
        texts = ["Oil prices rise", ""]
        scores = model.classify(texts).scores
        expected = [[model.labels[i] for i in np.flatnonzero(row >= 0.5)] for row in scores]
        self.assertEqual(model.label_sets(texts), expected)


if __name__ == "__main__":
    unittest.main()
