"""What a model says: one Answer, or Answers as NumPy columns with a row for each text; entities and
ranked passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray


class Entity(NamedTuple):
    """Something that a tagger found in a text."""

    text: str
    label: str
    """Without ``B-`` or ``I-``."""
    score: float
    start: int
    """``text`` is ``original[start:end]``."""
    end: int


class Ranked(NamedTuple):
    """A passage with its score."""

    index: int
    """In the list of passages."""
    score: float
    text: str


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer to one text."""

    label: str
    """Of the highest score."""
    scores: NDArray[np.float64]
    """One probability per label, in the order of ``Model.labels``."""
    budget: float
    """That was used."""
    active_heads: float
    """Share of the model's attention heads that ran."""
    tokens: int
    milliseconds: float
    """Of the call that gave this answer, its other texts included."""
    predicted_milliseconds: float | None
    """Of this text alone; None where this machine was not calibrated."""
    rungs: list[float] | None = None
    """Of ``budget="auto"``: the budgets that ran, in order; ``budget`` is their sum."""


@dataclass(frozen=True, eq=False)
class Answers(Sequence[Answer]):
    """The answers to a list of texts: NumPy columns, and a sequence of Answer."""

    label_names: tuple[str, ...]
    """What ``label_ids`` count in."""
    label_ids: NDArray[np.int64]
    """Shape (texts,): the label of the highest score."""
    scores: NDArray[np.float64]
    """Shape (texts, labels): probabilities."""
    budgets: NDArray[np.float64]
    active_heads: NDArray[np.float64]
    tokens: NDArray[np.int64]
    predicted_milliseconds: NDArray[np.float64] | None
    milliseconds: float
    """Of the whole call."""
    rungs: list[list[float]] | None = None
    """Of ``budget="auto"``: the budgets that ran for each text, in order."""

    @property
    def labels(self) -> list[str]:
        """The label of each text."""
        return [self.label_names[index] for index in self.label_ids]

    def __len__(self) -> int:
        return len(self.label_ids)

    @overload
    def __getitem__(self, index: int) -> Answer: ...

    @overload
    def __getitem__(self, index: slice) -> list[Answer]: ...

    def __getitem__(self, index: int | slice) -> Answer | list[Answer]:
        if isinstance(index, slice):
            return [self[row] for row in range(*index.indices(len(self)))]
        predicted = self.predicted_milliseconds
        return Answer(
            label=self.label_names[self.label_ids[index]],
            scores=self.scores[index],
            budget=float(self.budgets[index]),
            active_heads=float(self.active_heads[index]),
            tokens=int(self.tokens[index]),
            milliseconds=self.milliseconds,
            predicted_milliseconds=None if predicted is None else float(predicted[index]),
            rungs=None if self.rungs is None else self.rungs[index],
        )
