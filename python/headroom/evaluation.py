"""Accuracy and cost over budgets, and the HTML report, of rows that lie in Python or in files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from .classifier import Classifier
from .model import Model, Precision
from .program import run_program
from .rows import write_rows
from .texts import checked_pairs, checked_texts


def evaluate(
    model: Model | Classifier | str | os.PathLike[str],
    data: str | Iterable[str],
    labels: Iterable[Any] | None = None,
    *,
    pairs: Iterable[str] | None = None,
    budgets: Iterable[float | Literal["auto"]] = (0.25, 0.5, 0.75, 1),
    precision: Precision = "auto",
    threads: int = 0,
) -> list[dict[str, Any]]:
    """Accuracy (or what the model's task is judged by) and cost at each budget, as `headroom eval --json`
    tells them: ``pandas.DataFrame(evaluate(...))`` is its table.

    ``data`` is a list of texts with ``labels`` (and ``pairs``), or one data SPEC such as
    ``"csv:test.csv"``. ``threads`` 0 is one per core.
    """
    with _rows(data, labels, pairs) as spec:
        return run_program(
            ["eval", "--model", _directory(model), "--data", spec]
            + ["--budgets", ",".join(str(budget) for budget in budgets)]
            + ["--precision", precision, "--threads", str(threads)]
        )


def report(
    model: Model | Classifier | str | os.PathLike[str],
    data: str | Iterable[str],
    labels: Iterable[Any] | None = None,
    *,
    out: str | os.PathLike[str],
    pairs: Iterable[str] | None = None,
    budgets: Iterable[float] = (0.125, 0.25, 0.5, 0.75, 1),
    precision: Precision = "auto",
    threads: int = 0,
    rounds: int = 51,
) -> Path:
    """Writes `headroom report` about a model on labelled rows: one HTML file with plots; returns its path.

    ``data`` and ``labels`` as in evaluate(). ``rounds`` 0 measures no time.
    """
    with _rows(data, labels, pairs) as spec:
        run_program(
            ["report", "--model", _directory(model), "--data", spec, "--out", os.fsdecode(out)]
            + ["--budgets", ",".join(str(budget) for budget in budgets)]
            + ["--precision", precision, "--threads", str(threads), "--rounds", str(rounds)]
        )
    return Path(out)


def _directory(model: Model | Classifier | str | os.PathLike[str]) -> str:
    if isinstance(model, Classifier):
        return model.model_.directory
    return model.directory if isinstance(model, Model) else os.fsdecode(model)


@contextmanager
def _rows(
    data: str | Iterable[str], labels: Iterable[Any] | None, pairs: Iterable[str] | None
) -> Iterator[str]:
    """A data SPEC of what was given, for as long as it is read."""
    if isinstance(data, str):
        if labels is not None or pairs is not None:
            raise TypeError("data is a SPEC, whose rows have labels; give no others, or a list of texts")
        yield data
        return
    texts = checked_texts("data", data)
    if labels is None:
        raise TypeError("labels is missing: texts are scored against them")
    with tempfile.TemporaryDirectory(prefix="headroom-") as folder:
        file = Path(folder) / "rows.jsonl"
        write_rows(file, texts, list(labels), checked_pairs(pairs, len(texts)))
        yield f"jsonl:{file}"
