"""headroom: one text encoder, any compute budget.

    import headroom
    model = headroom.load("models/news-mini")
    answer = model.classify("Oil prices fell for a third day", budget=0.25)
    print(answer.label, answer.scores.max())
    answers = model.classify(["Oil prices fell", "Two penalties saved"], budget=0.5)
    print(answers.labels, answers.scores)   # a list, and a NumPy matrix (texts, labels)

``Classifier`` trains in scikit-learn's manner, ``evaluate`` and ``report`` score a model over budgets, and
``score_partition`` is what Spark, Ray and Dask map over their data. docs/python.md walks through all.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from .errors import Error, ErrorCode  # first: the engine raises it

if TYPE_CHECKING:
    from ._engine import __version__
    from .answers import Answer, Answers, Entity, Ranked
    from .classifier import Classifier
    from .evaluation import evaluate, report
    from .model import Aggregation, Model, Precision, Work, load
    from .partition import score_partition
    from .token_rows import TokenRows

# Where the other names live. They are looked up when first used: NumPy alone takes 0.1 s to import.
_HOMES = {
    "_engine": ["__version__"],
    "answers": ["Answer", "Answers", "Entity", "Ranked"],
    "classifier": ["Classifier"],
    "evaluation": ["evaluate", "report"],
    "model": ["Aggregation", "Model", "Precision", "Work", "load"],
    "partition": ["score_partition"],
    "token_rows": ["TokenRows"],
}

__all__ = [
    "Aggregation",
    "Answer",
    "Answers",
    "Classifier",
    "Entity",
    "Error",
    "ErrorCode",
    "Model",
    "Precision",
    "Ranked",
    "TokenRows",
    "Work",
    "__version__",
    "evaluate",
    "load",
    "report",
    "score_partition",
]


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(import_module(f"{__name__}.{home}"), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> "list[str]":
    return sorted({*globals(), *__all__})
