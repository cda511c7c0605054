// What a model of each task answers: made of the letters of the text, so that texts can be told apart
// and tests can say what comes out.

const words = (text) => text.toLowerCase().match(/\p{L}+/gu) ?? [];
const sumOf = (text) => [...words(text).join('')].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);

// The label whose number the letters add up to, and surer with more words.
function oneLabel(model, text) {
  const top = sumOf(text) % model.labels.length;
  const sure = 0.5 + 0.45 * (1 - 1 / (1 + words(text).length));
  const rest = (1 - sure) / (model.labels.length - 1);
  const scores = Object.fromEntries(model.labels.map((label, i) => [label, i === top ? sure : rest]));
  return { label: model.labels[top], scores };
}

// A label whose name is in the text gets 0.6, any other 0.1.
function severalLabels(model, text) {
  const scores = Object.fromEntries(model.labels.map((label) => [label, words(text).includes(label) ? 0.6 : 0.1]));
  return { labels: model.labels.filter((label, i) => scores[label] >= model.thresholds[i]), scores };
}

// Words with a capital are entities; the kinds take turns.
function tags(model, text) {
  const kinds = [...new Set(model.labels.map((label) => label.slice(2)))].filter((kind) => kind !== '');
  const found = [...text.matchAll(/\p{Lu}\p{L}*/gu)];
  const codePoints = (units) => [...text.slice(0, units)].length;
  const entities = found.map(([name], i) => ({
    text: name,
    label: kinds[i % kinds.length],
    score: 0.9,
    start: codePoints(found[i].index),
    end: codePoints(found[i].index + name.length),
  }));
  return { entities };
}

// How often each letter occurs.
function vector(text, dimensions) {
  const embedding = Array.from({ length: dimensions }, () => 0);
  for (const letter of words(text).join('')) embedding[letter.charCodeAt(0) % dimensions] += 1;
  return { embedding, dimensions };
}

// The share of the query's words that the passage has.
function relevance(query, text) {
  const wanted = words(query);
  return wanted.filter((word) => words(text).includes(word)).length / Math.max(1, wanted.length);
}

const paths = {
  classify: '/v1/classify',
  pair: '/v1/classify',
  multilabel: '/v1/classify',
  regress: '/v1/classify',
  tag: '/v1/tag',
  embed: '/v1/embed',
  rerank: '/v1/rerank',
};

export const pathOf = (model) => paths[model.task];

/** The answers to a request, each with its tokens; what they cost is the server's business. */
export function answersOf(model, request) {
  const texts = request.inputs.map((input) => (typeof input === 'string' ? { text: input } : input));
  const answers = texts.map(({ text, text_pair: pair = '' }, index) => {
    const tokens = words(text).length + words(pair).length + 2;
    if (model.task === 'multilabel') return { ...severalLabels(model, text), tokens };
    if (model.task === 'regress') return { score: words(text).length, tokens };
    if (model.task === 'tag') return { ...tags(model, text), tokens };
    if (model.task === 'embed') return { ...vector(text, request.dimensions ?? model.dimensions), tokens };
    if (model.task === 'rerank') return { index, score: relevance(request.query, text), text, tokens };
    return { ...oneLabel(model, text + pair), tokens };
  });
  return model.task === 'rerank' ? answers.sort((a, b) => b.score - a.score) : answers;
}
