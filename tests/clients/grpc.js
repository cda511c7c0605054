// @grpc/grpc-js, gRPC without our code or Google's in C++: node grpc.js PORT MODEL PROTO
'use strict';

const assert = require('node:assert');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const [port, model, proto] = process.argv.slice(2);
const { inference } = grpc.loadPackageDefinition(loader.loadSync(proto, { keepCase: true, longs: Number }));
const client = new inference.GRPCInferenceService(`127.0.0.1:${port}`, grpc.credentials.createInsecure());

function call(name, request, { key = 'clients', deadline = 60000 } = {}) {
  const metadata = new grpc.Metadata();
  metadata.set('authorization', `Bearer ${key}`);
  return new Promise((resolve, reject) => {
    client[name](request, metadata, { deadline: Date.now() + deadline },
      (problem, answer) => (problem ? reject(problem) : resolve(answer)));
  });
}

const text = 'Oil prices fell for a third day';
const input = { name: 'text', datatype: 'BYTES', shape: [1] };
const length = Buffer.alloc(4);
length.writeUInt32LE(text.length);

async function main() {
  assert.equal((await call('ServerLive', {}, { key: '' })).live, true);
  assert.equal((await call('ServerReady', {})).ready, true);
  assert.equal((await call('ModelReady', { name: model })).ready, true);
  assert.equal((await call('ServerMetadata', {})).name, 'headroom');
  const metadata = await call('ModelMetadata', { name: model });
  assert.deepEqual(metadata.outputs.map(({ name }) => name).slice(0, 2), ['label', 'scores']);

  const typed = await call('ModelInfer', {
    model_name: model,
    id: '7',
    inputs: [{ ...input, contents: { bytes_contents: [Buffer.from(text)] } }],
    parameters: { budget: { double_param: 0.25 } },
  });
  assert.equal(typed.id, '7');
  assert.equal(typed.outputs[0].contents.bytes_contents[0].toString(), 'Business');

  const raw = await call('ModelInfer', {
    model_name: model,
    inputs: [input],
    outputs: [{ name: 'scores' }],
    raw_input_contents: [Buffer.concat([length, Buffer.from(text)])],
    parameters: { budget: { string_param: '0.25' } },
  });
  const scores = Array.from({ length: 4 }, (_, i) => raw.raw_output_contents[0].readDoubleLE(8 * i));
  assert.deepEqual(scores, typed.outputs[1].contents.fp64_contents);

  const code = (promise) => promise.then(() => grpc.status.OK, (problem) => problem.code);
  assert.equal(await code(call('ModelInfer', { model_name: 'nobody' })), grpc.status.NOT_FOUND);
  assert.equal(await code(call('ModelInfer', { model_name: model })), grpc.status.INVALID_ARGUMENT);
  assert.equal(await code(call('ServerMetadata', {}, { key: 'wrong' })), grpc.status.UNAUTHENTICATED);
  client.close();
  console.log('grpc-js: all six calls, raw and typed contents and errors are as they should be');
}

main().catch((problem) => {
  console.error(problem);
  process.exit(1);
});
