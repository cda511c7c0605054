#!/usr/bin/env python3
"""ONNX Runtime as a peer of `headroom bench --peer onnxruntime`, for machines that have Python's onnxruntime and no Node.

Speaks what onnxruntime-peer.js speaks: JSON lines, one answer a request. The time is that of session.run alone, on tensors
made before; a run that is not timed comes first, because the other contestants emptied the caches.
"""
import json
import sys
import time

import numpy
import onnxruntime

sessions = []
batches = []


def load(file, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    sessions.append(onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"]))
    return {"session": len(sessions) - 1, "version": onnxruntime.__version__}


def padded(rows, length):
    values = numpy.zeros((len(rows), length), dtype=numpy.int64)
    for row, ids in enumerate(rows):
        values[row, : len(ids)] = ids
    return values


def batch(ids, types):
    length = max(len(row) for row in ids)
    batches.append({
        "input_ids": padded(ids, length),
        "attention_mask": padded([[1] * len(row) for row in ids], length),
        "token_type_ids": padded(types, length),
    })
    return {"batch": len(batches) - 1}


def run(session, batch):
    # Families without token types have no input for them.
    feeds = {entry.name: batches[batch][entry.name] for entry in sessions[session].get_inputs()}
    sessions[session].run(None, feeds)
    computed = time.process_time()
    started = time.perf_counter()
    outputs = sessions[session].run(None, feeds)
    ms = 1e3 * (time.perf_counter() - started)
    cpu_ms = 1e3 * (time.process_time() - computed)
    return {"ms": ms, "cpu_ms": cpu_ms, "logits": [float(value) for value in outputs[0].ravel()]}


def answer(request):
    if "load" in request:
        return load(request["load"], request["threads"])
    if "batch" in request:
        return batch(**request["batch"])
    return run(**request["run"])


for line in sys.stdin:
    try:
        reply = answer(json.loads(line))
    except Exception as problem:  # the asking side tells it
        reply = {"error": str(problem)}
    print(json.dumps(reply), flush=True)
