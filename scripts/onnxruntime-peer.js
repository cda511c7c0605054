// ONNX Runtime as a peer of `headroom bench --peer onnxruntime`, which starts this program and talks
// to it in JSON lines, one answer a request. Needs the npm package onnxruntime-node beside it
// (scripts/install-peers).
//   {"load": "FILE.onnx", "threads": 1}              -> {"session": 0, "version": "1.30.0"}
//   {"batch": {"ids": [[…], …], "types": [[…], …]}}  -> {"batch": 0}
//   {"run": {"session": 0, "batch": 0}}              -> {"ms": 1.23, "cpu_ms": 1.22, "logits": […]}
// A batch is padded to its longest row here, before any clock runs. The time is that of session.run
// alone; a run that is not timed comes first, because the other contestants emptied the caches.
'use strict';

const readline = require('readline');
const ort = require('onnxruntime-node');

const sessions = [];
const batches = [];

async function load({ load: file, threads }) {
  // What is not said here is ONNX Runtime's default: memory arena and patterns on, and with several
  // threads its pool spins, which is its fastest setting.
  sessions.push(await ort.InferenceSession.create(file, {
    executionProviders: ['cpu'],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
  }));
  return { session: sessions.length - 1, version: ort.env.versions.node };
}

function padded(rows, length) {
  const values = new BigInt64Array(rows.length * length);
  rows.forEach((row, i) => row.forEach((value, t) => { values[i * length + t] = BigInt(value); }));
  return new ort.Tensor('int64', values, [rows.length, length]);
}

function batch({ batch: { ids, types } }) {
  const length = Math.max(...ids.map((row) => row.length));
  batches.push({
    input_ids: padded(ids, length),
    attention_mask: padded(ids.map((row) => row.map(() => 1)), length),
    token_type_ids: padded(ids.map((row, i) => types[i] || []), length),
  });
  return { batch: batches.length - 1 };
}

async function run({ run: { session, batch: number } }) {
  // Families without token types have no input for them.
  const feeds = Object.fromEntries(
    sessions[session].inputNames.map((name) => [name, batches[number][name]]));
  await sessions[session].run(feeds);
  const before = process.cpuUsage();
  const started = process.hrtime.bigint();
  const outputs = await sessions[session].run(feeds);
  const ms = Number(process.hrtime.bigint() - started) / 1e6;
  const computed = process.cpuUsage(before);
  const [name] = sessions[session].outputNames; // logits, or vectors
  return { ms, cpu_ms: (computed.user + computed.system) / 1e3, logits: Array.from(outputs[name].data) };
}

async function answer(request) {
  if (request.load !== undefined) return load(request);
  if (request.batch !== undefined) return batch(request);
  return run(request);
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let reply;
    try {
      reply = await answer(JSON.parse(line));
    } catch (problem) {
      reply = { error: String(problem.message) };
    }
    process.stdout.write(JSON.stringify(reply) + '\n');
  }
}

main();
