"""A classifier in scikit-learn's manner: fit() runs `headroom train`, predict() the engine. scikit-learn is
not needed, but where it is there, its pipelines, searches and cross-validation take this as their own."""

from __future__ import annotations

import inspect
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .model import Model, Precision
from .program import run_program
from .rows import write_rows
from .texts import checked_texts


class Classifier:
    """Learns labels of texts, once for every compute budget.

    Parameters
    ----------
    init : checkpoint to start from, such as ``"models/base-mini"``; None starts from nothing, which takes
        thousands of rows.
    method : ``"nested"`` gives one model for all budgets, ``"dense"`` one for budget 1.
    epochs, batch, max_tokens, learning_rate : of training; None leaves them to `headroom train`, which
        chooses by rows, labels and start (docs/training.md).
    options : any other options of `headroom train` by their names, ``{"nested_epochs": 6}``.
    budget, latency_ms : what predict() may spend on a text, as in ``Model``. No new fit() is needed after
        ``set_params(budget=0.25)``.
    precision : of predict(): ``"auto"`` (what ``headroom calibrate`` chose on this machine), ``"fp32"``,
        ``"bf16"`` or ``"int8"``.
    threads : of both; 0 is one per core in training and one in predict().
    device : of training, ``"cpu"`` or ``"cuda"``.
    out : folder for the checkpoint. None keeps it in a temporary one for as long as this object lives;
        it then pickles with its weights, otherwise by path.
    random_state : an int, a NumPy RandomState, or None for 1.
    verbose : whether the progress of training goes to stderr.

    Attributes
    ----------
    classes_ : sorted labels, the columns of predict_proba().
    model_ : the trained ``headroom.Model``.
    scores_ : accuracy and cost at each budget on the rows that training set aside.
    """

    _estimator_type = "classifier"
    classes_: NDArray[Any]
    model_: Model
    scores_: list[dict[str, Any]]

    def __init__(
        self,
        init: str | os.PathLike[str] | None = None,
        *,
        method: str = "nested",
        epochs: float | None = None,
        batch: int | None = None,
        max_tokens: int | None = None,
        learning_rate: float | None = None,
        options: Mapping[str, Any] | None = None,
        budget: float | Literal["auto"] | None = None,
        latency_ms: float | None = None,
        precision: Precision = "auto",
        threads: int = 0,
        device: str = "cpu",
        out: str | os.PathLike[str] | None = None,
        random_state: Any = None,
        verbose: bool = False,
    ) -> None:
        self.init = init
        self.method = method
        self.epochs = epochs
        self.batch = batch
        self.max_tokens = max_tokens
        self.learning_rate = learning_rate
        self.options = options
        self.budget = budget
        self.latency_ms = latency_ms
        self.precision = precision
        self.threads = threads
        self.device = device
        self.out = out
        self.random_state = random_state
        self.verbose = verbose

    @classmethod
    def from_checkpoint(cls, directory: str | os.PathLike[str], **parameters: Any) -> Classifier:
        """A fitted classifier of a checkpoint that is there already; its labels are the classes."""
        fitted = cls(out=directory, **parameters)
        fitted._open(os.fsdecode(directory))
        fitted.classes_ = np.array(sorted(fitted.model_.labels))
        return fitted

    def fit(self, X: Iterable[str], y: ArrayLike) -> Classifier:
        """Trains on texts and their labels; the rows of ``X`` are str."""
        texts = checked_texts("X", X)
        classes, names, labels = _read_labels(y, len(texts))
        owned = None if self.out is not None else _OwnedFolder()
        target = str(owned.path / "model") if owned else os.fsdecode(self.out or "")
        with tempfile.TemporaryDirectory(prefix="headroom-") as folder:
            rows = Path(folder) / "rows.jsonl"
            write_rows(rows, texts, [names[label] for label in labels])
            arguments = ["train", "--data", f"jsonl:{rows}", "--out", target, *self._train_options()]
            scores = run_program(arguments, training=True, verbose=bool(self.verbose))
        self._owned = owned
        self._open(target)
        self.classes_ = classes
        self.scores_ = scores
        return self

    def predict(self, X: Iterable[str]) -> NDArray[Any]:
        """The label of each text."""
        classes = self._fitted_classes()
        predicted: NDArray[Any] = classes[self.predict_proba(X).argmax(axis=1)]
        return predicted

    def predict_proba(self, X: Iterable[str]) -> NDArray[np.float64]:
        """Shape (texts, classes): probabilities, in the order of ``classes_``."""
        classes = self._fitted_classes()
        answers = self.model_.classify(
            checked_texts("X", X), budget=self.budget, latency_ms=self.latency_ms
        )
        columns = [answers.label_names.index(str(each)) for each in classes.tolist()]
        return answers.scores[:, columns]

    def predict_log_proba(self, X: Iterable[str]) -> NDArray[np.float64]:
        """Logarithms of predict_proba()."""
        logarithms: NDArray[np.float64] = np.log(self.predict_proba(X))
        return logarithms

    def score(self, X: Iterable[str], y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Accuracy."""
        right = self.predict(X) == np.asarray(y)
        return float(np.average(right, weights=sample_weight))

    def save(self, directory: str | os.PathLike[str]) -> Path:
        """Copies the checkpoint to a new folder, for `headroom serve`, ``Model`` or from_checkpoint()."""
        self._fitted_classes()
        return Path(shutil.copytree(self.model_.directory, directory))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments of the constructor, by name."""
        return {name: getattr(self, name) for name in _parameter_names(type(self))}

    def set_params(self, **parameters: Any) -> Classifier:
        """Sets arguments of the constructor by name. Those of training count at the next fit()."""
        known = _parameter_names(type(self))
        for name in parameters:
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {type(self).__name__}. Valid parameters "
                    f"are: {known!r}."
                )
        for name, value in parameters.items():
            setattr(self, name, value)
        if "model_" in vars(self) and {"precision", "threads"} & parameters.keys():
            self._open(self.model_.directory)
        return self

    def __repr__(self) -> str:
        signature = inspect.signature(type(self).__init__).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if not _same(value, signature[name].default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_is_fitted__(self) -> bool:
        return "classes_" in vars(self)

    def __sklearn_clone__(self) -> Classifier:
        """Unfitted, with the same parameters."""
        return type(self)(**self.get_params())

    def _more_tags(self) -> dict[str, Any]:  # of scikit-learn before 1.6
        return {"X_types": ["string"], "requires_y": True, "no_validation": True}

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(one_d_array=True, two_d_array=False, string=True),
            no_validation=True,
        )

    def __getstate__(self) -> dict[str, Any]:
        state = dict(vars(self))
        if state.pop("_owned", None) is not None:
            folder = Path(self.model_.directory)
            state["_files"] = {file.name: file.read_bytes() for file in folder.iterdir()}
            del state["model_"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        files = state.pop("_files", None)
        vars(self).update(state)
        if files is not None:
            self._owned = _OwnedFolder()
            folder = self._owned.path / "model"
            folder.mkdir()
            for name, content in files.items():
                (folder / name).write_bytes(content)
            self._open(str(folder))

    def _open(self, directory: str) -> None:
        self.model_ = Model(directory, precision=self.precision, threads=max(1, self.threads))

    def _fitted_classes(self) -> NDArray[Any]:
        if "classes_" in vars(self):
            return self.classes_
        try:
            from sklearn.exceptions import NotFittedError as problem
        except ImportError:
            problem = ValueError
        raise problem(f"This {type(self).__name__} is not fitted; call fit(texts, labels) first.")

    def _train_options(self) -> list[str]:
        named = {
            "method": self.method,
            "init": None if self.init is None else os.fsdecode(self.init),
            "epochs": self.epochs,
            "batch": self.batch,
            "max-tokens": self.max_tokens,
            "lr": self.learning_rate,
            "threads": self.threads,
            "device": self.device,
            "seed": _seed(self.random_state),
        }
        words = []
        for name, value in {**named, **(self.options or {})}.items():
            option = "--" + str(name).replace("_", "-")
            if value is True:
                words.append(option)
            elif value is not None and value is not False:
                words += [option, str(value)]
        return words


class _OwnedFolder:
    """A temporary folder that goes when nobody refers to this any more."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="headroom-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def _parameter_names(kind: type) -> list[str]:
    return sorted(name for name in inspect.signature(kind).parameters)


def _same(value: object, default: object) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))


def _seed(random_state: Any) -> int:
    if random_state is None:
        return 1
    draw = getattr(random_state, "randint", None)
    return int(draw(2**31 - 1)) if draw is not None else int(random_state)


def _read_labels(y: ArrayLike, texts: int) -> tuple[NDArray[Any], list[str], NDArray[np.int64]]:
    """The sorted classes, their names in the checkpoint, and the class of each row."""
    if y is None:
        raise ValueError("y is None: this estimator requires y to be passed, but the target y is None")
    given = np.asarray(y)
    if given.ndim == 2 and given.shape[1] == 1:
        given = given.ravel()
    if given.ndim != 1:
        raise ValueError(f"y has shape {given.shape}, expected one label a text")
    if len(given) != texts:
        raise ValueError(f"{len(given)} labels for {texts} texts: inconsistent numbers of samples")
    missing = [label is None or label != label for label in given.tolist()]
    if any(missing):
        raise ValueError(f"y[{missing.index(True)}] is missing; every text needs a label")
    if given.dtype.kind == "f" and not np.array_equal(given, np.floor(given)):
        raise ValueError("Unknown label type: y is continuous, and labels are classes")
    classes, labels = np.unique(given, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(f"y has {len(classes)} class; a classifier needs at least two classes")
    return classes, [str(each) for each in classes.tolist()], labels
