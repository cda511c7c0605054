"""Token ids as people have them, lists of arrays or a padded matrix, laid one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

IntegerRow = NDArray["np.integer[Any]"]
TokenRows = Union[IntegerRow, Sequence[IntegerRow], Sequence[Sequence[int]]]


class FlatRows(NamedTuple):
    ids: NDArray[np.int32]
    types: NDArray[np.int32] | None
    lengths: NDArray[np.int64]


def token_rows(ids: TokenRows, types: TokenRows | None, mask: ArrayLike | None) -> FlatRows:
    """All tokens of all rows without padding, and how many each row has."""
    id_rows = _rows("ids", ids)
    type_rows = None if types is None else _rows("types", types)
    lengths = np.array([len(row) for row in id_rows], dtype=np.int64)
    if type_rows is not None and [len(row) for row in type_rows] != lengths.tolist():
        raise ValueError("types must have as many rows, each as long, as ids")
    if mask is not None:
        lengths = _kept(np.asarray(mask), lengths)
        id_rows = _truncated(id_rows, lengths)
        type_rows = None if type_rows is None else _truncated(type_rows, lengths)
    return FlatRows(_joined(id_rows), None if type_rows is None else _joined(type_rows), lengths)


def _rows(name: str, rows: TokenRows) -> list[NDArray[np.int32]]:
    return [_int32_row(f"{name}[{index}]", row) for index, row in enumerate(rows)]


def _int32_row(name: str, values: ArrayLike) -> NDArray[np.int32]:
    row = np.asarray(values)
    if row.ndim != 1 or (row.size > 0 and row.dtype.kind not in "iu"):
        raise TypeError(f"{name} is not a row of integers but {row.dtype} of shape {row.shape}")
    narrow = row.astype(np.int32)
    if not np.array_equal(narrow, row):
        raise ValueError(f"{name} holds numbers that are no token ids: more than 32 bits")
    return narrow


def _kept(mask: NDArray[np.generic], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many tokens each row of the mask keeps; they must be the first ones."""
    if len(lengths) == 0:
        return lengths
    width = lengths[0]
    if (lengths != width).any() or mask.shape != (len(lengths), width):
        raise ValueError(f"mask has shape {mask.shape}, which is not that of ids")
    present = mask.astype(bool)
    kept: NDArray[np.int64] = present.sum(axis=1, dtype=np.int64)
    if (present != (np.arange(width) < kept[:, np.newaxis])).any():
        raise ValueError("mask has a gap: padding must come after a row's tokens")
    return kept


def _truncated(rows: list[NDArray[np.int32]], lengths: NDArray[np.int64]) -> list[NDArray[np.int32]]:
    return [row[:length] for row, length in zip(rows, lengths)]


def _joined(rows: list[NDArray[np.int32]]) -> NDArray[np.int32]:
    return np.concatenate(rows) if rows else np.zeros(0, dtype=np.int32)
