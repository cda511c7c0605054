// ONNX Runtime behind a plain first-in-first-out queue, for scripts/bench-overload: what one gets who puts a
// runtime behind an HTTP server. POST {"ids": [...]} -> {"label": "..."}; texts are tokenised by whoever asks, so
// its times have no tokeniser in them. Needs the npm package onnxruntime-node beside it (scripts/install-peers).
//   node onnxruntime-server.js MODEL.onnx THREADS LABEL...    prints {"port": N} when it listens
// A thread of its own for each of THREADS sessions: requests run one at a time, each on one core.
'use strict';

const http = require('http');
const { Worker, isMainThread, parentPort, workerData } = require('worker_threads');

async function work() {
  const ort = require('onnxruntime-node');
  const session = await ort.InferenceSession.create(workerData, {
    executionProviders: ['cpu'],
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
  });
  const tensor = (values) => new ort.Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length]);
  parentPort.on('message', async (ids) => {
    const all = {
      input_ids: tensor(ids),
      attention_mask: tensor(ids.map(() => 1)),
      token_type_ids: tensor(ids.map(() => 0)),
    };
    const feeds = Object.fromEntries(session.inputNames.map((name) => [name, all[name]]));
    const { data } = (await session.run(feeds))[session.outputNames[0]];
    parentPort.postMessage(data.indexOf(Math.max(...data)));
  });
  parentPort.postMessage('ready');
}

function serve([file, threads, ...labels]) {
  const waiting = []; // {ids, response}, the oldest first
  const idle = [];
  let starting = Number(threads);

  const next = () => {
    while (waiting.length > 0 && idle.length > 0) {
      const worker = idle.pop();
      const { ids, response } = waiting.shift();
      worker.response = response;
      worker.postMessage(ids);
    }
  };
  const answer = (worker, label) => {
    const body = JSON.stringify({ label: labels[label] });
    worker.response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length });
    worker.response.end(body);
    worker.response = null;
  };
  const server = http.createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      waiting.push({ ids: JSON.parse(Buffer.concat(parts)).ids, response });
      next();
    });
  });
  server.keepAliveTimeout = 60000;
  for (let i = starting; i > 0; --i) {
    const worker = new Worker(__filename, { workerData: file });
    worker.on('error', (problem) => { throw problem; });
    worker.on('message', (said) => {
      if (said !== 'ready') answer(worker, said);
      idle.push(worker);
      next();
      if (said !== 'ready' || --starting > 0) return;
      server.listen(0, '127.0.0.1', 1024, () => console.log(JSON.stringify({ port: server.address().port })));
    });
  }
}

if (isMainThread) serve(process.argv.slice(2));
else work();
