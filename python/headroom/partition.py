"""score_partition(): what Spark, Ray and Dask hand to their workers. A partition in, its answers out; the
model is loaded once a process."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Callable, Literal

import numpy as np

from .model import Model, Precision, cached_model
from .texts import checked_texts, is_frame, is_series

BATCH = 1024  # rows of an iterator that are answered together


def score_partition(
    partition: Any,
    model: Model | str | os.PathLike[str],
    *,
    text: str = "text",
    budget: float | Literal["auto"] | None = None,
    latency_ms: float | None = None,
    precision: Precision = "auto",
    threads: int = 1,
) -> Any:
    """The answers to one partition, in its own form and order.

    ======================================== ================================================
    a partition is                           and gives
    ======================================== ================================================
    a pandas DataFrame with a column ``text``  the same with columns of answers
    a pandas Series                            a DataFrame of answers with its index
    a mapping of columns (Ray)                 the same with columns of answers
    a list or an iterator of str               an iterator of a dict for each
    an iterator of any of the others           an iterator of the same (Spark's mapInPandas)
    ======================================== ================================================

    Columns are ``label``, ``probability``, ``budget`` and ``tokens`` of a classifier, ``labels`` of
    several labels, ``embedding``, ``score`` or ``entities`` of the other models. ``model`` is a path
    that every worker sees, or a Model, which travels as that path.
    """
    if isinstance(model, Model):
        loaded = cached_model(model.directory, model.precision, model.threads)
    else:
        loaded = cached_model(model, precision, threads)
    answer = _COLUMNS.get(loaded.task, _label_columns)
    spending = {"budget": budget, "latency_ms": latency_ms}

    def columns_of(texts: Iterable[Any]) -> dict[str, Any]:
        return answer(loaded, checked_texts("texts", texts), spending)

    return _answered(partition, text, columns_of)


def _answered(
    partition: Any, text: str, columns_of: Callable[[Iterable[Any]], dict[str, Any]]
) -> Any:
    if is_frame(partition):
        return partition.assign(**_listed(columns_of(_column(partition, text))))
    if is_series(partition):
        frame = partition.to_frame(name=text)
        return frame.assign(**_listed(columns_of(partition))).drop(columns=text)
    if isinstance(partition, Mapping):
        return {**partition, **columns_of(_column(partition, text))}
    if isinstance(partition, (str, bytes)) or not isinstance(partition, Iterable):
        raise TypeError(f"a partition is {type(partition).__name__}, expected texts or tables")
    return _each(iter(partition), text, columns_of)


def _each(
    rows: Iterator[Any], text: str, columns_of: Callable[[Iterable[Any]], dict[str, Any]]
) -> Iterator[Any]:
    for first in rows:
        if isinstance(first, str):
            texts = [first, *itertools.islice(rows, BATCH - 1)]
            columns = _listed(columns_of(texts))
            for values in zip(*columns.values()):
                yield dict(zip(columns, values))
        else:
            yield _answered(first, text, columns_of)


def _column(table: Any, text: str) -> Iterable[Any]:
    if text not in table:
        raise KeyError(f'no column "{text}"; name the one with the texts: score_partition(..., text=...)')
    column: Iterable[Any] = table[text]
    return column


def _listed(columns: dict[str, Any]) -> dict[str, list[Any]]:
    """Values of Python, which Spark and JSON take, a row each."""
    return {
        name: values.tolist() if isinstance(values, np.ndarray) else values
        for name, values in columns.items()
    }


def _label_columns(model: Model, texts: list[str], spending: dict[str, Any]) -> dict[str, Any]:
    answers = model.classify(texts, **spending)
    return {
        "label": np.array(answers.labels, dtype=object),
        "probability": answers.probabilities,
        "budget": answers.budgets,
        "tokens": answers.tokens,
    }


_COLUMNS: dict[str, Callable[[Model, list[str], dict[str, Any]], dict[str, Any]]] = {
    "multilabel": lambda model, texts, spending: {"labels": model.label_sets(texts, **spending)},
    "embed": lambda model, texts, spending: {"embedding": model.embed(texts, **spending)},
    "regress": lambda model, texts, spending: {"score": model.score(texts, **spending)},
    "tag": lambda model, texts, spending: {
        "entities": [[each._asdict() for each in found] for found in model.tag(texts, **spending)]
    },
}
