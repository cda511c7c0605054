"""Scores a table of Parquet files with Ray: python ray_score.py MODEL IN OUT

Every node needs the package and the checkpoint at the same path. Ray runs a lost task again.
"""

import sys

import headroom


def score(dataset, model, **options):
    """The dataset with the answers' columns; a model is loaded once a worker process."""
    return dataset.map_batches(
        headroom.score_partition,
        batch_format="numpy",
        batch_size=4096,
        num_cpus=1,
        fn_kwargs={"model": model, **options},
    )


if __name__ == "__main__":
    import ray.data

    model, source, target = sys.argv[1:]
    score(ray.data.read_parquet(source), model, budget=0.5).write_parquet(target)
