"""headroom: one text encoder, any compute budget.

    import headroom
    model = headroom.load("models/news-mini")
    answer = model.classify("Oil prices fell for a third day", budget=0.25)
    print(answer.label, answer.scores.max())
    answers = model.classify(["Oil prices fell", "Two penalties saved"], budget=0.5)
    print(answers.labels, answers.scores)   # a list, and a NumPy matrix (texts, labels)
"""

from .errors import Error, ErrorCode  # first: the engine raises it
from ._engine import __version__
from .answers import Answer, Answers, Entity, Ranked
from .model import Aggregation, Model, Precision, Work, load
from .token_rows import TokenRows

__all__ = [
    "Aggregation",
    "Answer",
    "Answers",
    "Entity",
    "Error",
    "ErrorCode",
    "Model",
    "Precision",
    "Ranked",
    "TokenRows",
    "Work",
    "__version__",
    "load",
]
