"""Texts, pairs and budgets as people have them: lists, arrays, pandas Series; checked, with errors that
name the row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray


def is_series(values: object) -> bool:
    """Whether it is a pandas Series, without importing pandas."""
    return type(values).__name__ == "Series" and hasattr(values, "to_numpy")


def is_frame(values: object) -> bool:
    """Whether it is a pandas DataFrame, without importing pandas."""
    return hasattr(values, "columns") and hasattr(values, "iloc")


def index_of(texts: object) -> Any:
    """The index of a Series; nothing of anything else."""
    return getattr(texts, "index") if is_series(texts) else None


def checked_texts(name: str, texts: object) -> list[str]:
    """All of them as str; TypeError names the first that is not."""
    if is_frame(texts):
        raise TypeError(f'{name} is a table; give its column of texts, such as table["text"]')
    if isinstance(texts, (str, bytes, Mapping, Set)) or not isinstance(texts, Iterable):
        raise TypeError(f"{name} is {type(texts).__name__}, expected a list of str")
    checked = list(texts)
    for index, text in enumerate(checked):
        if not isinstance(text, str):
            raise TypeError(f"{name}[{index}] is {type(text).__name__}, expected str{_hint(text)}")
    return checked


def _hint(value: object) -> str:
    if isinstance(value, bytes):
        return "; decode it first"
    not_a_number = isinstance(value, float) and value != value
    missing = not_a_number or type(value).__name__ in ("NoneType", "NAType")
    return '; drop or fill in what is missing, such as by fillna("")' if missing else ""


def checked_pairs(pairs: object, texts: int) -> list[str] | None:
    if pairs is None:
        return None
    checked = checked_texts("pairs", pairs)
    if len(checked) != texts:
        raise ValueError(f"{len(checked)} pairs for {texts} texts")
    return checked


def checked_spending(
    budget: ArrayLike | Literal["auto"] | None, latency_ms: ArrayLike | None, texts: int
) -> tuple[NDArray[np.float64], bool, bool]:
    """What each text may cost, whether that is in milliseconds, and whether it is automatic."""
    automatic = isinstance(budget, str)
    if automatic and budget != "auto":
        raise ValueError(f'budget is {budget!r}, expected a number or "auto"')
    if budget is not None and latency_ms is not None and not automatic:
        raise ValueError("give budget or latency_ms, not both")
    is_latency = latency_ms is not None
    name = "latency_ms" if is_latency else "budget"
    asked = latency_ms if is_latency else 1.0 if budget is None or automatic else budget
    try:
        amounts = np.asarray(asked, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise TypeError(f"{name} is {asked!r}, expected a number or one for each text") from problem
    if amounts.ndim > 1 or (amounts.ndim == 1 and len(amounts) != texts):
        raise ValueError(f"{name} has shape {amounts.shape}, expected one number or {texts}")
    return np.broadcast_to(amounts, (texts,)), is_latency, automatic


def flat_spending(
    budget: ArrayLike | None, latency_ms: ArrayLike | None, texts: int
) -> tuple[NDArray[np.float64], bool]:
    """The same for outputs that have no ladder of budgets."""
    amounts, is_latency, automatic = checked_spending(budget, latency_ms, texts)
    if automatic:
        raise ValueError('budget="auto" is for classifiers; give a number')
    return amounts, is_latency
