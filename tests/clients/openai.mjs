// OpenAI's own client against /v1/embeddings: node openai.mjs PORT MODEL [https]
import assert from 'node:assert';
import OpenAI from 'openai';

const [port, model, scheme = 'http'] = process.argv.slice(2);
const server = `${scheme}://127.0.0.1:${port}`;
const client = new OpenAI({ baseURL: `${server}/v1`, apiKey: 'clients' });

const texts = ['Oil prices fell for a third day', 'Two penalties saved'];
const ours = await (await fetch(`${server}/v1/embed`, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Authorization: 'Bearer clients' },
  body: JSON.stringify({ model, inputs: texts }),
})).json();

// As it comes it asks for base64 and decodes it; with a format it takes the numbers.
for (const more of [{}, { encoding_format: 'float' }]) {
  const answer = await client.embeddings.create({ model, input: texts, ...more });
  assert.equal(answer.object, 'list');
  assert.equal(answer.data.length, texts.length);
  assert.ok(answer.usage.prompt_tokens > 0);
  answer.data.forEach(({ embedding, index }) => {
    assert.deepEqual(Array.from(embedding, Math.fround), ours.answers[index].embedding.map(Math.fround));
  });
}
const short = await client.embeddings.create({ model, input: texts[0], budget: 1, dimensions: 8 });
assert.equal(short.data[0].embedding.length, 8);

await assert.rejects(client.embeddings.create({ model: 'nobody', input: 'a' }), OpenAI.NotFoundError);
await assert.rejects(client.embeddings.create({ model, input: [] }), OpenAI.UnprocessableEntityError);
const stranger = new OpenAI({ baseURL: client.baseURL, apiKey: 'wrong' });
await assert.rejects(stranger.embeddings.create({ model, input: 'a' }), OpenAI.AuthenticationError);
console.log('openai over ' + scheme + ': vectors, formats, dimensions and errors are as they should be');
