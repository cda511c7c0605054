"""Scores files of one text a line with Dask: python dask_score.py SCHEDULER MODEL OUT FILE...

Every worker needs the package and sees the checkpoint and the files at the same paths. Start workers with
--nthreads 1, one per core. A partition is a file; its answers are written in one step under its name, so a
partition that Dask runs again after a worker died replaces what was there with the same bytes.
"""

import json
import os
import sys

import headroom


def score_file(source, model, out, **options):
    """Answers of one file as JSON lines; returns (file, rows). A model is loaded once a worker."""
    target = os.path.join(out, os.path.basename(source) + ".jsonl")
    unfinished = f"{target}.{os.getpid()}"
    rows = 0
    with open(source, encoding="utf-8") as lines, open(unfinished, "w", encoding="utf-8") as answers:
        texts = (line.rstrip("\n") for line in lines)
        for rows, answer in enumerate(headroom.score_partition(texts, model, **options), start=1):
            answers.write(json.dumps(answer) + "\n")
    os.replace(unfinished, target)
    return target, rows


def score(client, files, model, out, **options):
    """All files, as (file, rows) in their order. Three workers in a row may die under one of them."""
    os.makedirs(out, exist_ok=True)
    done = client.map(score_file, files, model=model, out=out, pure=False, **options)
    return client.gather(done)


if __name__ == "__main__":
    from distributed import Client

    scheduler, model, out, *files = sys.argv[1:]
    with Client(scheduler) as client:
        for target, rows in score(client, files, model, out, budget=0.5):
            print(target, rows)
