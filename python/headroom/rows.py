"""Labelled rows as a file that `headroom` reads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np


def write_rows(
    file: Path, texts: list[str], labels: list[Any], pairs: list[str] | None = None
) -> None:
    """As JSON lines. A label may be a str, a number or a list of labels."""
    if len(labels) != len(texts):
        raise ValueError(f"{len(labels)} labels for {len(texts)} texts")
    with file.open("w", encoding="utf-8") as out:
        for index, (text, label) in enumerate(zip(texts, labels)):
            plain = label.tolist() if isinstance(label, (np.generic, np.ndarray)) else label
            row = {"text": text, "label": plain}
            if pairs is not None:
                row["text_pair"] = pairs[index]
            out.write(json.dumps(row) + "\n")
