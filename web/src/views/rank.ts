// Passages in the order in which they answer a query.
import { drawBar, makeBar } from '../bars';
import type { Result } from '../contract';
import { byId } from '../dom';
import { decimal } from '../format';
import { linesOf, type Shown, type View } from './view';

const query = byId('query', HTMLInputElement);
const passages = byId('passages', HTMLTextAreaElement);
const list = byId('ranking', HTMLOListElement);

function show({ answers }: Result): Shown {
  list.replaceChildren(
    ...answers.map(({ text = '', score = 0 }, place) => {
      const bar = makeBar();
      drawBar(bar, text, score, decimal(score), place === 0);
      return bar.row;
    }),
  );
  const [best] = answers;
  const headline = `Line ${(best?.index ?? 0) + 1} is first`;
  return { headline, spoken: `${headline}, ${decimal(best?.score ?? 0)}: ${best?.text ?? ''}` };
}

export const rank: View = {
  name: 'rank',
  title: 'Rank',
  asks: 'Query and passages',
  empty: 'No query and passages yet',
  path: 'v1/rerank',
  tasks: ['rerank'],
  prepare: () => list.replaceChildren(),
  question: () => {
    const inputs = linesOf(passages);
    return query.value.trim() === '' || inputs.length === 0 ? null : { query: query.value, inputs };
  },
  show: (_, result) => show(result),
  fillExample: () => {
    query.value = 'what keeps an aeroplane in the air';
    passages.value = [
      'Tickets for the evening flight are sold out',
      'Air that is turned downwards by a wing pushes the wing up: this force is called lift',
      'The pressure above a wing is lower than below it',
      'Airports are noisy neighbours',
    ].join('\n');
  },
};
