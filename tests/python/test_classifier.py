"""The classifier in scikit-learn's manner; with scikit-learn itself where it is installed."""

import copy
import pickle
import subprocess
import sys
import tempfile
import unittest
import warnings
from pathlib import Path
from unittest import mock

import headroom
import numpy as np
from support import HAS_TRAINING, MODEL, TEXTS

try:
    import sklearn
except ImportError:
    sklearn = None

SPORT = ["goal", "match", "team", "score", "coach"]
MONEY = ["stock", "market", "bank", "price", "profit"]


def separable_rows(count: int = 80) -> "tuple[list[str], list[str]]":
    """Words of sport and money, which do not overlap."""
    texts, labels = [], []
    for i in range(count):
        words = SPORT if i % 2 == 0 else MONEY
        texts.append(" ".join(words[(i + j * (1 + i // 10)) % 5] for j in range(6)))
        labels.append("sport" if i % 2 == 0 else "money")
    return texts, labels


def tiny(**parameters: object) -> headroom.Classifier:
    """Learns separable_rows() in a second."""
    options = {"layers": 1, "width": 16, "heads": 2, "ffn": 32, "nested_epochs": 2}
    small = {"options": options, "epochs": 12, "learning_rate": 0.02, "max_tokens": 12, "threads": 1}
    return headroom.Classifier(**{**small, **parameters})  # type: ignore[arg-type]


class Parameters(unittest.TestCase):
    def test_they_are_those_of_the_constructor(self) -> None:
        classifier = headroom.Classifier("models/base-mini", budget=0.5)
        parameters = classifier.get_params()
        self.assertEqual(parameters["init"], "models/base-mini")
        self.assertEqual(headroom.Classifier(**parameters).get_params(), parameters)
        self.assertEqual(repr(classifier), "Classifier(budget=0.5, init='models/base-mini')")

    def test_one_that_there_is_not_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "Invalid parameter 'rungs'.*budget"):
            headroom.Classifier().set_params(budget=1, rungs=3)
        self.assertEqual(headroom.Classifier().set_params(budget=0.5).budget, 0.5)

    def test_options_become_those_of_train(self) -> None:
        classifier = tiny(init="start", random_state=7, options={"free_slopes": True, "lr": 0.1})
        words = classifier._train_options()
        for option, value in [("--init", "start"), ("--seed", "7"), ("--lr", "0.1")]:
            self.assertEqual(words[words.index(option) + 1], value)
        self.assertIn("--free-slopes", words)
        self.assertNotIn("--batch", words)


class BadInput(unittest.TestCase):
    def test_what_cannot_be_learned_is_named(self) -> None:
        for texts, labels, problem, said in [
            (["a", 3], ["x", "y"], TypeError, r"X\[1\] is int"),
            ("abc", ["x"], TypeError, "X is str"),
            (np.zeros((2, 2)), ["x", "y"], TypeError, r"X\[0\] is ndarray"),
            (["a", "b"], ["x"], ValueError, "1 labels for 2 texts"),
            (["a", "b"], ["x", "x"], ValueError, "two classes"),
            (["a", "b"], [0.5, 1.5], ValueError, "Unknown label type"),
            (["a", "b"], ["x", None], ValueError, r"y\[1\] is missing"),
            (["a", "b"], [[1, 2], [3, 4]], ValueError, "one label a text"),
            (["a", "b"], None, ValueError, "requires y"),
        ]:
            with self.subTest(said=said), self.assertRaisesRegex(problem, said):
                headroom.Classifier().fit(texts, labels)  # type: ignore[arg-type]

    def test_before_fit_there_are_no_answers(self) -> None:
        for method in ("predict", "predict_proba", "predict_log_proba"):
            with self.assertRaisesRegex(ValueError, "not fitted"):
                getattr(headroom.Classifier(), method)(["a"])

    def test_without_the_training_half_it_says_how_to_get_it(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            alone = Path(folder) / "headroom"
            alone.write_text("")
            with mock.patch("headroom.program._HERE", Path(folder) / "a" / "b"), mock.patch(
                "shutil.which", return_value=None
            ), mock.patch.dict("os.environ", {"HEADROOM_PROGRAM": str(alone)}):
                with self.assertRaisesRegex(headroom.Error, "HEADROOM_TRAINING=ON"):
                    headroom.Classifier().fit(["a", "b"], ["x", "y"])


class FromCheckpoint(unittest.TestCase):
    def test_a_checkpoint_is_a_fitted_classifier(self) -> None:
        classifier = headroom.Classifier.from_checkpoint(MODEL, budget=0.5)
        answers = headroom.load(MODEL).classify(TEXTS, budget=0.5)
        self.assertEqual(classifier.predict(TEXTS).tolist(), answers.labels)
        self.assertEqual(classifier.classes_.tolist(), sorted(answers.label_names))
        again = pickle.loads(pickle.dumps(classifier))
        self.assertEqual(again.model_.directory, classifier.model_.directory)
        self.assertLess(len(pickle.dumps(classifier)), 10_000)  # by path


@unittest.skipUnless(HAS_TRAINING, "this build has no training half")
class Fitted(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.texts, cls.labels = separable_rows()
        cls.classifier = tiny().fit(cls.texts, cls.labels)

    def test_it_learned(self) -> None:
        self.assertEqual(self.classifier.classes_.tolist(), ["money", "sport"])
        self.assertGreater(self.classifier.score(self.texts, self.labels), 0.9)
        self.assertEqual(self.classifier.scores_[-1]["scored_on"], "validation")

    def test_probabilities_are_in_the_order_of_the_classes(self) -> None:
        probabilities = self.classifier.predict_proba(self.texts)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)
        np.testing.assert_array_equal(
            self.classifier.classes_[probabilities.argmax(axis=1)], self.classifier.predict(self.texts)
        )
        np.testing.assert_array_equal(
            np.exp(self.classifier.predict_log_proba(self.texts[:2])).argmax(axis=1),
            probabilities[:2].argmax(axis=1),
        )

    def test_weights_of_rows_count(self) -> None:
        right = self.classifier.predict(self.texts) == np.array(self.labels)
        weights = np.where(right, 1.0, 3.0)
        self.assertAlmostEqual(
            self.classifier.score(self.texts, self.labels, weights), np.average(right, weights=weights)
        )

    def test_the_budget_changes_without_another_fit(self) -> None:
        changed = copy.copy(self.classifier).set_params(budget=0.5)
        model = self.classifier.model_
        np.testing.assert_array_equal(
            changed.predict_proba(self.texts)[:, 0],
            model.classify(self.texts, budget=0.5).scores[:, model.labels.index("money")],
        )

    def test_it_pickles_with_its_weights(self) -> None:
        expected = self.classifier.predict_proba(self.texts)
        lone = tiny().fit(self.texts, self.labels)
        pickled = pickle.dumps(lone)
        folder = lone.model_.directory
        del lone
        self.assertFalse(Path(folder).exists(), "the folder outlived its classifier")
        np.testing.assert_array_equal(pickle.loads(pickled).predict_proba(self.texts), expected)

    def test_a_saved_one_is_a_checkpoint(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            saved = self.classifier.save(Path(folder) / "model")
            again = headroom.Classifier.from_checkpoint(saved)
            np.testing.assert_array_equal(
                again.predict_proba(self.texts), self.classifier.predict_proba(self.texts)
            )

    def test_labels_keep_their_type(self) -> None:
        numbers = np.array([10 if label == "sport" else 9 for label in self.labels])
        with tempfile.TemporaryDirectory() as folder:
            fitted = tiny(out=Path(folder) / "model").fit(np.array(self.texts), numbers)
            self.assertEqual(fitted.classes_.tolist(), [9, 10])
            self.assertEqual(fitted.predict(self.texts).dtype, numbers.dtype)
            self.assertGreater(fitted.score(self.texts, numbers), 0.9)
            self.assertTrue((Path(folder) / "model" / "config.json").exists())

    def test_what_training_refuses_is_raised(self) -> None:
        with self.assertRaises(headroom.Error) as caught:
            tiny(epochs=-1).fit(self.texts, self.labels)
        self.assertEqual(caught.exception.code, "usage")

    def test_progress_is_told_on_request(self) -> None:
        code = "import test_classifier as t; t.tiny(verbose=True, epochs=1).fit(*t.separable_rows())"
        here = Path(__file__).parent
        done = subprocess.run([sys.executable, "-c", code], cwd=here, capture_output=True, text=True)
        self.assertIn("dense stage", done.stderr)
        self.assertEqual(done.returncode, 0)

    def test_evaluate_and_report_take_it(self) -> None:
        scores = headroom.evaluate(self.classifier, self.texts, self.labels, budgets=[0.5, 1])
        self.assertEqual([each["budget"] for each in scores], [0.5, 1.0])
        self.assertAlmostEqual(
            scores[1]["accuracy"], self.classifier.score(self.texts, self.labels)
        )
        with tempfile.TemporaryDirectory() as folder:
            page = headroom.report(
                self.classifier, self.texts, self.labels, out=Path(folder) / "page.html", rounds=0
            )
            self.assertIn("<html", page.read_text(encoding="utf-8"))


class TextRows(headroom.Classifier):
    """scikit-learn's checks bring matrices: each number becomes a word, each row a text."""

    def fit(self, X: object, y: object = None) -> "TextRows":  # type: ignore[override]
        super().fit(self._texts(X), y)  # type: ignore[arg-type]
        return self

    def predict_proba(self, X: object) -> "np.ndarray":  # type: ignore[override, type-arg]
        self._fitted_classes()
        return super().predict_proba(self._texts(X))

    @staticmethod
    def _texts(X: object) -> "list[str]":
        rows = np.asarray(X, dtype=float)
        return [" ".join(f"c{i}v{value:.0f}" for i, value in enumerate(row)) for row in rows]


@unittest.skipUnless(HAS_TRAINING and sklearn, "needs the training half and scikit-learn")
class ScikitLearn(unittest.TestCase):
    # Of check_estimator() those that do not ask for errors about numbers in X (shapes, NaN, sparse
    # matrices, complex numbers), which texts cannot have, nor for accuracy on blobs of points.
    WITHOUT_DATA = [
        "check_no_attributes_set_in_init",
        "check_parameters_default_constructible",
        "check_get_params_invariance",
        "check_set_params",
        "check_estimators_unfitted",
    ]
    WITH_DATA = [
        "check_fit_score_takes_y",
        "check_dont_overwrite_parameters",
        "check_dict_unchanged",
        "check_fit_idempotent",
        "check_fit_check_is_fitted",
        "check_methods_subset_invariance",
        "check_methods_sample_order_invariance",
        "check_estimators_overwrite_params",
        "check_estimators_pickle",
        "check_classifiers_one_label",
    ]

    def test_its_checks_pass(self) -> None:
        from sklearn.utils import estimator_checks

        options = {"layers": 1, "width": 8, "heads": 2, "ffn": 8, "nested_epochs": 1, "min_count": 1}
        small = {"options": options, "epochs": 1, "threads": 1, "max_tokens": 12}
        for name in self.WITHOUT_DATA:
            with self.subTest(check=name):
                self._run(getattr(estimator_checks, name), headroom.Classifier())
        for name in self.WITH_DATA:
            with self.subTest(check=name):
                self._run(getattr(estimator_checks, name), TextRows(**small))  # type: ignore[arg-type]

    @staticmethod
    def _run(check: object, estimator: headroom.Classifier) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check("Classifier", estimator)  # type: ignore[operator]

    def test_cross_validation_pipelines_and_clones(self) -> None:
        from sklearn.base import clone, is_classifier
        from sklearn.model_selection import GridSearchCV, cross_val_score
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import FunctionTransformer

        texts, labels = separable_rows()
        self.assertTrue(is_classifier(tiny()))
        fitted = tiny(budget=0.5).fit(texts, labels)
        self.assertEqual(repr(clone(fitted)), repr(fitted))
        self.assertFalse(hasattr(clone(fitted), "classes_"))
        scores = cross_val_score(tiny(), texts, labels, cv=2)
        self.assertGreater(scores.min(), 0.8)
        shout = FunctionTransformer(lambda rows: [row.upper() for row in rows])
        pipeline = make_pipeline(shout, tiny())
        pipeline.set_params(classifier__precision="bf16").fit(texts, labels)
        self.assertGreater(pipeline.score(texts, labels), 0.8)
        self.assertEqual(pipeline[-1].model_.precision, "bf16")
        search = GridSearchCV(tiny(), {"max_tokens": [8, 12]}, cv=2, error_score="raise")
        self.assertIn("max_tokens", search.fit(texts, labels).best_params_)


if __name__ == "__main__":
    unittest.main()
