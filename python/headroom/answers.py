"""What a model says: one Answer, or Answers as NumPy columns with a row for each text; entities and
ranked passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas


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

    index: int  # type: ignore[assignment]
    """In the list of passages."""
    score: float
    text: str
    budget: float = 1.0
    """That it took, of both rounds together where it was in two."""


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


@dataclass(frozen=True, eq=False, repr=False)
class Answers(Sequence[Answer]):
    """The answers to a list of texts: NumPy columns, and a sequence of Answer. ``to_series()`` and
    ``to_frame()`` put them beside the rows of a pandas Series that was asked about."""

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
    index: Any = None
    """Of the pandas Series that held the texts; None for lists and arrays."""

    def __repr__(self) -> str:
        counts = np.bincount(self.label_ids, minlength=len(self.label_names))
        order = [each for each in np.argsort(-counts, kind="stable") if counts[each] > 0]
        shown = [f"{self.label_names[each]} {counts[each]}" for each in order]
        mean = f", mean budget {self.budgets.mean():.3g}" if len(self) > 0 else ""
        more = "" if len(shown) <= 8 else f", {len(shown) - 8} more labels"
        return f"<headroom.Answers to {len(self)} texts: {', '.join(shown[:8])}{more}{mean}>"

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Shape (texts,): the highest score of each text."""
        highest: NDArray[np.float64] = self.scores.max(axis=1, initial=0.0)
        return highest

    def to_series(self) -> pandas.Series[str]:
        """The labels as a pandas Series with the index of the texts."""
        import pandas

        return pandas.Series(self.labels, index=self.index, name="label", dtype=object)

    def to_frame(self) -> pandas.DataFrame:
        """Label, probability, budget and tokens as a pandas DataFrame with the index of the texts."""
        import pandas

        columns = {
            "label": self.labels,
            "probability": self.probabilities,
            "budget": self.budgets,
            "tokens": self.tokens,
        }
        return pandas.DataFrame(columns, index=self.index)

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
