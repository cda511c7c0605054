"""A loaded checkpoint, and what may be asked of it."""

from __future__ import annotations

import operator
import os
import threading
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _engine
from .answers import Answer, Answers, Entity, Ranked
from .texts import checked_pairs, checked_spending, checked_texts, flat_spending, index_of
from .token_rows import TokenRows, token_rows

Precision = Literal["auto", "fp32", "bf16", "int8"]
Aggregation = Literal["simple", "first", "average", "max"]


class Work(NamedTuple):
    """Multiply-adds of one text: an estimate of its cost that depends on no machine."""

    attention: float
    model: float


class Model:
    """One encoder at any compute budget. Threads may share it; the GIL is released while it works.

    Every call takes either ``budget``, a fraction in (0, 1] of the whole model's compute, or
    ``latency_ms``, for which the largest budget is taken that ``headroom calibrate`` found to answer
    in so many milliseconds nine times in ten on this machine. Both may be arrays with a value for
    each text. ``budget="auto"`` gives each text as much as it needs (``headroom tune`` says when that
    is), with ``latency_ms`` no more than that allows. The same text gets the same bits here, from
    ``headroom predict`` and from the server.

    Texts are a list, a NumPy array or a pandas Series of str. A model pickles as the path of its
    checkpoint, which the process that unpickles it must see; there it is loaded once.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str],
        *,
        precision: Precision = "auto",
        threads: int = 1,
    ) -> None:
        """Opens a checkpoint directory. ``threads`` is how many share one call, by text; calls from
        several Python threads run at the same time whatever it is."""
        self._directory = os.path.abspath(os.fsdecode(directory))
        self._threads = operator.index(threads)
        self._engine = _engine.Model(os.fsdecode(directory), precision, self._threads)
        self._labels = tuple(self._engine.labels)

    def __repr__(self) -> str:
        labels = f", {len(self.labels)} labels" if self.labels else ""
        return (
            f"<headroom.Model {self.directory}: {self.task}{labels}, up to {self.longest_input} tokens, "
            f"{self.precision} on {self.instruction_set}, {self.threads} thread(s)>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return cached_model, (self.directory, self.precision, self.threads)

    @property
    def directory(self) -> str:
        """Where the checkpoint lies, as an absolute path."""
        return self._directory

    @property
    def precision(self) -> Precision:
        """What matrix products run in: what was asked for, or what ``headroom calibrate`` chose."""
        return cast(Precision, self._engine.precision)

    @property
    def threads(self) -> int:
        """That share one call."""
        return self._threads

    @property
    def task(self) -> str:
        """What it answers: ``"classify"``, ``"pair"``, ``"multilabel"``, ``"regress"``,
        ``"rerank"``, ``"tag"`` or ``"embed"``."""
        return self._engine.task

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the classes, in the order of ``scores``."""
        return self._labels

    @property
    def longest_input(self) -> int:
        """In tokens; longer texts are truncated."""
        return self._engine.longest_input

    @property
    def instruction_set(self) -> str:
        """What the engine runs on, for example ``"avx512"``; HEADROOM_ISA chooses another."""
        return self._engine.instruction_set

    # A str is an Iterable[str] too, which mypy minds; the first signature that fits is taken.
    @overload
    def classify(  # type: ignore[misc]
        self,
        texts: str,
        *,
        pairs: str | None = None,
        budget: float | Literal["auto"] | None = None,
        latency_ms: float | None = None,
    ) -> Answer: ...

    @overload
    def classify(
        self,
        texts: Iterable[str],
        *,
        pairs: Iterable[str] | None = None,
        budget: ArrayLike | Literal["auto"] | None = None,
        latency_ms: ArrayLike | None = None,
    ) -> Answers: ...

    def classify(
        self,
        texts: str | Iterable[str],
        *,
        pairs: str | Iterable[str] | None = None,
        budget: ArrayLike | Literal["auto"] | None = None,
        latency_ms: ArrayLike | None = None,
    ) -> Answer | Answers:
        """Classifies one text (an Answer) or a list of texts (Answers).

        ``pairs`` are the second texts of a model that compares two.
        """
        if isinstance(texts, str):
            second = None if pairs is None else [pairs]
            return self._classify_list([texts], second, budget, latency_ms)[0]
        return self._classify_list(texts, pairs, budget, latency_ms)

    def classify_tokens(
        self,
        ids: TokenRows,
        *,
        types: TokenRows | None = None,
        mask: ArrayLike | None = None,
        budget: ArrayLike | Literal["auto"] | None = None,
        latency_ms: ArrayLike | None = None,
    ) -> Answers:
        """Classifies what a tokenizer made of texts, ``[CLS]`` and ``[SEP]`` included.

        ``ids`` is a list of integer arrays of any length, or a matrix with one row a text; then
        ``mask`` (1 where there is a token) says where padding begins, as Transformers' tokenizers
        do. ``types`` are token types in the form of ``ids``; without them all are 0.
        """
        rows = token_rows(ids, types, mask)
        spending = checked_spending(budget, latency_ms, len(rows.lengths))
        columns = self._engine.classify_tokens(rows.ids, rows.types, rows.lengths, *spending)
        return Answers(self._labels, *columns)

    def embed(
        self,
        texts: str | Iterable[str],
        *,
        dimensions: int | None = None,
        prompt: str | None = None,
        budget: ArrayLike | None = None,
        latency_ms: ArrayLike | None = None,
    ) -> NDArray[np.float32]:
        """The vector of a text, or a matrix with a row for each of several.

        ``dimensions`` keeps only the first so many, at length 1 again; ``prompt`` is the name of one
        of the model's prompts.
        """
        rows = checked_texts("texts", [texts] if isinstance(texts, str) else texts)
        amounts, is_latency = flat_spending(budget, latency_ms, len(rows))
        vectors = self._engine.embed_texts(rows, dimensions, prompt, amounts, is_latency)
        asked: NDArray[np.float32] = vectors[0] if isinstance(texts, str) else vectors
        return asked

    def score(
        self,
        texts: Iterable[str],
        *,
        pairs: Iterable[str] | None = None,
        raw: bool = False,
        budget: ArrayLike | None = None,
        latency_ms: ArrayLike | None = None,
    ) -> NDArray[np.float64]:
        """The number of each text, or the score of each pair; ``raw`` gives a ranker's logits."""
        first = checked_texts("texts", texts)
        second = checked_pairs(pairs, len(first))
        amounts, is_latency = flat_spending(budget, latency_ms, len(first))
        scores, logits = self._engine.score_texts(first, second, amounts, is_latency)
        return logits if raw else scores

    def rerank(
        self,
        query: str,
        passages: Iterable[str],
        *,
        raw: bool = False,
        budget: float | Literal["auto"] | None = None,
        latency_ms: float | None = None,
    ) -> list[Ranked]:
        """The passages by how well they answer the query, best first.

        ``budget="auto"`` runs all of them at a quarter of the budget and the best at the full one.
        ``latency_ms`` is for all of them together; with ``"auto"`` it limits how many run again.
        """
        if not isinstance(query, str):
            raise TypeError(f"query is {type(query).__name__}, expected str")
        texts = checked_texts("passages", passages)
        amounts, is_latency, automatic = checked_spending(budget, latency_ms, 1)
        scores, logits, budgets = self._engine.rank_passages(
            query, texts, float(amounts[0]), is_latency, automatic
        )
        shown = logits if raw else scores
        order = np.argsort(-logits, kind="stable")
        return [
            Ranked(int(i), float(shown[i]), texts[i], float(budgets[i])) for i in order
        ]

    @overload
    def tag(  # type: ignore[misc]
        self,
        texts: str,
        *,
        aggregation: Aggregation = "simple",
        budget: float | None = None,
        latency_ms: float | None = None,
    ) -> list[Entity]: ...

    @overload
    def tag(
        self,
        texts: Iterable[str],
        *,
        aggregation: Aggregation = "simple",
        budget: ArrayLike | None = None,
        latency_ms: ArrayLike | None = None,
    ) -> list[list[Entity]]: ...

    def tag(
        self,
        texts: str | Iterable[str],
        *,
        aggregation: Aggregation = "simple",
        budget: ArrayLike | None = None,
        latency_ms: ArrayLike | None = None,
    ) -> list[Entity] | list[list[Entity]]:
        """The entities of a text, or of each of several, however long they are."""
        rows = checked_texts("texts", [texts] if isinstance(texts, str) else texts)
        amounts, is_latency = flat_spending(budget, latency_ms, len(rows))
        found = self._engine.tag_texts(rows, aggregation, amounts, is_latency)
        entities = [[Entity(*each) for each in row] for row in found]
        return entities[0] if isinstance(texts, str) else entities

    def label_sets(
        self,
        texts: Iterable[str],
        *,
        budget: ArrayLike | None = None,
        latency_ms: ArrayLike | None = None,
    ) -> list[list[str]]:
        """Of a model with several labels: those of each text that reach their thresholds."""
        rows = checked_texts("texts", texts)
        amounts, is_latency = flat_spending(budget, latency_ms, len(rows))
        sets = self._engine.label_sets(rows, amounts, is_latency)
        return [[self._labels[label] for label in row] for row in sets]

    def work(self, tokens: int, budget: float = 1.0) -> Work:
        """Multiply-adds of a text of so many tokens at a budget."""
        if tokens < 1:
            raise ValueError(f"tokens is {tokens}, expected at least 1")
        return Work(*self._engine.work(budget, tokens))

    def _classify_list(
        self,
        texts: object,
        pairs: object,
        budget: ArrayLike | Literal["auto"] | None,
        latency_ms: ArrayLike | None,
    ) -> Answers:
        first = checked_texts("texts", texts)
        second = checked_pairs(pairs, len(first))
        spending = checked_spending(budget, latency_ms, len(first))
        columns = self._engine.classify_texts(first, second, *spending)
        return Answers(self._labels, *columns, index=index_of(texts))


def load(
    directory: str | os.PathLike[str], *, precision: Precision = "auto", threads: int = 1
) -> Model:
    """Opens a checkpoint directory; the same as ``Model(directory, ...)``."""
    return Model(directory, precision=precision, threads=threads)


_cached: dict[tuple[Any, ...], Model] = {}
_cache_lock = threading.Lock()


def cached_model(
    directory: str | os.PathLike[str], precision: Precision = "auto", threads: int = 1
) -> Model:
    """The model of a checkpoint, loaded once a process and again after the checkpoint has changed.

    For workers that get the same path with every task. A forked process loads its own: threads of the
    engine do not survive a fork.
    """
    path = os.path.realpath(os.fsdecode(directory))
    changed = os.stat(path).st_mtime_ns if os.path.isdir(path) else 0  # files are replaced in one step
    key = (os.getpid(), path, precision, threads)
    with _cache_lock:
        if (*key, changed) not in _cached:
            for old in [one for one in _cached if one[: len(key)] == key]:
                del _cached[old]
            _cached[(*key, changed)] = Model(directory, precision=precision, threads=threads)
        return _cached[(*key, changed)]
