"""Types of python/engine_module.cpp. A test compares the names."""

import os
from collections.abc import Sequence
from typing import List, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

__version__: str

# Label, scores, budget, active heads, tokens and predicted milliseconds of each text; milliseconds
# of the call; rungs of each text where they were automatic.
Columns = Tuple[
    NDArray[np.int64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.int64],
    Optional[NDArray[np.float64]],
    float,
    Optional[List[List[float]]],
]

class Model:
    def __init__(
        self, directory: str | os.PathLike[str], precision: str, threads: int
    ) -> None: ...
    def classify_texts(
        self,
        texts: Sequence[str],
        pairs: Sequence[str] | None,
        amounts: NDArray[np.float64],
        is_latency: bool,
        automatic: bool,
    ) -> Columns: ...
    def classify_tokens(
        self,
        ids: NDArray[np.int32],
        types: NDArray[np.int32] | None,
        lengths: NDArray[np.int64],
        amounts: NDArray[np.float64],
        is_latency: bool,
        automatic: bool,
    ) -> Columns: ...
    def label_sets(
        self, texts: Sequence[str], amounts: NDArray[np.float64], is_latency: bool
    ) -> list[list[int]]: ...
    def embed_texts(
        self,
        texts: Sequence[str],
        dimensions: int | None,
        prompt: str | None,
        amounts: NDArray[np.float64],
        is_latency: bool,
    ) -> NDArray[np.float32]: ...
    def score_texts(
        self,
        texts: Sequence[str],
        pairs: Sequence[str] | None,
        amounts: NDArray[np.float64],
        is_latency: bool,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def rank_passages(
        self,
        query: str,
        passages: Sequence[str],
        amount: float,
        is_latency: bool,
        automatic: bool,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
    def tag_texts(
        self,
        texts: Sequence[str],
        aggregation: str,
        amounts: NDArray[np.float64],
        is_latency: bool,
    ) -> list[list[tuple[str, str, float, int, int]]]: ...
    def work(self, budget: float, tokens: int) -> tuple[float, float]: ...
    @property
    def task(self) -> str: ...
    @property
    def labels(self) -> list[str]: ...
    @property
    def longest_input(self) -> int: ...
    @property
    def precision(self) -> str: ...
    @property
    def instruction_set(self) -> str: ...
