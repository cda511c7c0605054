"""Scores a table of Parquet files with Spark: spark-submit spark_score.py MODEL IN OUT

Every executor needs the package and the checkpoint at the same path. A task that fails is run again by
Spark; `overwrite` makes a second run of the whole job replace the first.
"""

import functools
import sys

import headroom


def score(table, model, **options):
    """The DataFrame `table` (id, text) with the answers' columns; a model is loaded once a Python worker."""
    schema = "id bigint, text string, label string, probability double, budget double, tokens bigint"
    return table.mapInPandas(functools.partial(headroom.score_partition, model=model, **options), schema)


if __name__ == "__main__":
    from pyspark.sql import SparkSession

    model, source, target = sys.argv[1:]
    spark = SparkSession.builder.appName("headroom").getOrCreate()
    # Batches of Arrow rows; an executor's Python worker is one per core, so one thread each.
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 4096)
    rows = spark.read.parquet(source).select("id", "text")
    score(rows, model, budget=0.5).write.mode("overwrite").parquet(target)
