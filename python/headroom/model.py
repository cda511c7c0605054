"""A loaded checkpoint, and what may be asked of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _engine
from .answers import Answer, Answers, Entity, Ranked
from .token_rows import TokenRows, token_rows

Precision = Literal["fp32", "bf16", "int8"]
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
    is), with ``latency_ms`` no more than that allows. The same text gets the same bits here, from ``headroom predict`` and from the server.
    """

    def __init__(self, engine: _engine.Model) -> None:
        self._engine = engine
        self._labels = tuple(engine.labels)

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

    # A str is a Sequence[str] too, which mypy minds; the first signature that fits is taken.
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
        texts: Sequence[str],
        *,
        pairs: Sequence[str] | None = None,
        budget: ArrayLike | Literal["auto"] | None = None,
        latency_ms: ArrayLike | None = None,
    ) -> Answers: ...

    def classify(
        self,
        texts: str | Sequence[str],
        *,
        pairs: str | Sequence[str] | None = None,
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
        spending = _spending(budget, latency_ms, len(rows.lengths))
        return self._answers(
            self._engine.classify_tokens(rows.ids, rows.types, rows.lengths, *spending)
        )

    def embed(
        self,
        texts: str | Sequence[str],
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
        rows = _checked_texts("texts", [texts] if isinstance(texts, str) else texts)
        amounts, is_latency = _flat_spending(budget, latency_ms, len(rows))
        vectors = self._engine.embed_texts(rows, dimensions, prompt, amounts, is_latency)
        return vectors[0] if isinstance(texts, str) else vectors

    def score(
        self,
        texts: Sequence[str],
        *,
        pairs: Sequence[str] | None = None,
        raw: bool = False,
        budget: ArrayLike | None = None,
        latency_ms: ArrayLike | None = None,
    ) -> NDArray[np.float64]:
        """The number of each text, or the score of each pair; ``raw`` gives a ranker's logits."""
        first = _checked_texts("texts", texts)
        second = _checked_pairs(pairs, len(first))
        amounts, is_latency = _flat_spending(budget, latency_ms, len(first))
        scores, logits = self._engine.score_texts(first, second, amounts, is_latency)
        return logits if raw else scores

    def rerank(
        self,
        query: str,
        passages: Sequence[str],
        *,
        raw: bool = False,
        budget: float | None = None,
        latency_ms: float | None = None,
    ) -> list[Ranked]:
        """The passages by how well they answer the query, best first."""
        texts = _checked_texts("passages", passages)
        amounts, is_latency = _flat_spending(budget, latency_ms, 1)
        scores, logits = self._engine.rank_passages(query, texts, float(amounts[0]), is_latency)
        shown = logits if raw else scores
        order = np.argsort(-logits, kind="stable")
        return [Ranked(int(index), float(shown[index]), texts[index]) for index in order]

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
        texts: Sequence[str],
        *,
        aggregation: Aggregation = "simple",
        budget: ArrayLike | None = None,
        latency_ms: ArrayLike | None = None,
    ) -> list[list[Entity]]: ...

    def tag(
        self,
        texts: str | Sequence[str],
        *,
        aggregation: Aggregation = "simple",
        budget: ArrayLike | None = None,
        latency_ms: ArrayLike | None = None,
    ) -> list[Entity] | list[list[Entity]]:
        """The entities of a text, or of each of several, however long they are."""
        rows = _checked_texts("texts", [texts] if isinstance(texts, str) else texts)
        amounts, is_latency = _flat_spending(budget, latency_ms, len(rows))
        found = self._engine.tag_texts(rows, aggregation, amounts, is_latency)
        entities = [[Entity(*each) for each in row] for row in found]
        return entities[0] if isinstance(texts, str) else entities

    def label_sets(
        self,
        texts: Sequence[str],
        *,
        budget: ArrayLike | None = None,
        latency_ms: ArrayLike | None = None,
    ) -> list[list[str]]:
        """Of a model with several labels: those of each text that reach their thresholds."""
        rows = _checked_texts("texts", texts)
        amounts, is_latency = _flat_spending(budget, latency_ms, len(rows))
        sets = self._engine.label_sets(rows, amounts, is_latency)
        return [[self._labels[label] for label in row] for row in sets]

    def work(self, tokens: int, budget: float = 1.0) -> Work:
        """Multiply-adds of a text of so many tokens at a budget."""
        if tokens < 1:
            raise ValueError(f"tokens is {tokens}, expected at least 1")
        return Work(*self._engine.work(budget, tokens))

    def _classify_list(
        self,
        texts: Sequence[object],
        pairs: Sequence[object] | None,
        budget: ArrayLike | Literal["auto"] | None,
        latency_ms: ArrayLike | None,
    ) -> Answers:
        first = _checked_texts("texts", texts)
        second = _checked_pairs(pairs, len(first))
        spending = _spending(budget, latency_ms, len(first))
        return self._answers(self._engine.classify_texts(first, second, *spending))

    def _answers(self, columns: _engine.Columns) -> Answers:
        return Answers(self._labels, *columns)


def load(
    directory: str | os.PathLike[str], *, precision: Precision = "fp32", threads: int = 1
) -> Model:
    """Opens a checkpoint directory.

    ``threads`` is how many share one call, by text; calls from several Python threads run at the
    same time whatever it is.
    """
    return Model(_engine.Model(directory, precision, threads))


def _checked_texts(name: str, texts: Sequence[object]) -> list[str]:
    if isinstance(texts, (str, bytes)):
        raise TypeError(f"{name} is {type(texts).__name__}, expected a list of str")
    checked = []
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"{name}[{index}] is {type(text).__name__}, expected str")
        checked.append(text)
    return checked


def _checked_pairs(pairs: Sequence[object] | None, texts: int) -> list[str] | None:
    if pairs is None:
        return None
    checked = _checked_texts("pairs", pairs)
    if len(checked) != texts:
        raise ValueError(f"{len(checked)} pairs for {texts} texts")
    return checked


def _spending(
    budget: ArrayLike | Literal["auto"] | None, latency_ms: ArrayLike | None, texts: int
) -> tuple[NDArray[np.float64], bool, bool]:
    """What each text may cost, whether that is in milliseconds, and whether it is automatic."""
    automatic = isinstance(budget, str)
    if automatic and budget != "auto":
        raise ValueError(f'budget is "{budget}", expected a number or "auto"')
    if budget is not None and latency_ms is not None and not automatic:
        raise ValueError("give budget or latency_ms, not both")
    is_latency = latency_ms is not None
    asked = latency_ms if is_latency else 1.0 if budget is None or automatic else budget
    amounts = np.asarray(asked, dtype=np.float64)
    if amounts.ndim > 1 or (amounts.ndim == 1 and len(amounts) != texts):
        name = "latency_ms" if is_latency else "budget"
        raise ValueError(f"{name} has shape {amounts.shape}, expected one number or {texts}")
    return np.broadcast_to(amounts, (texts,)), is_latency, automatic


def _flat_spending(
    budget: ArrayLike | None, latency_ms: ArrayLike | None, texts: int
) -> tuple[NDArray[np.float64], bool]:
    """The same for outputs that have no ladder of budgets."""
    amounts, is_latency, automatic = _spending(budget, latency_ms, texts)
    if automatic:
        raise ValueError('budget="auto" is for classifiers; give a number')
    return amounts, is_latency
