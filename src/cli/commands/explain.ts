import { resolve } from 'node:path';
import { hang, linedUp } from '../../report/text.ts';
import type { CommandMain } from '../options.ts';

const PAGES = resolve(import.meta.dirname, '../../docs');

export default (async (_flags, io, [code = '']) => {
  const { default: page } = await import('../../../docs/errors.md');
  const sections = page.split(/^##+ /m).filter((section) => section.startsWith('`'));
  const texts = new Map(
    sections.map((section) => {
      const [title = '', ...lines] = section.split('\n');
      return [title.replaceAll('`', ''), asText(lines.join('\n').trim())];
    }),
  );
  if (code === '') io.out(codeList(texts));
  else io.out(`${code}\n\n${texts.get(code)}\n\nThe pages are in ${PAGES}.\n`);
}) satisfies CommandMain<'explain'>;

function codeList(texts: ReadonlyMap<string, string>): string {
  const rows = [...texts].map(([code, text]) => {
    // The sentence ends before a capital letter, so that the dot in "www." does not end it.
    const [, meaning = ''] = /Meaning: (.*?\.)(?: \p{Lu}|$)/u.exec(oneLine(text)) ?? [];
    return [code, meaning];
  });
  return `${linedUp(rows).join('\n')}\n`;
}

const MAX_WIDTH = 80;

function asText(markdown: string): string {
  const plain = markdown
    .replaceAll(/\*\*([^*]+?)\.?\*\*/g, '$1:')
    .replaceAll(/\[([^\]]*)\]\(([^)#]*)[^)]*\)/g, (_, text: string, page: string) =>
      page === '' ? text : `${text} (docs/${page})`,
    )
    .replaceAll('`', '');
  const blocks = plain.split(/\n{2,}/).map((block) => blockLines(block).join('\n'));
  return blocks.join('\n\n');
}

/** Wraps a block of Markdown. Indents the text of a list item after its mark. */
function blockLines(block: string): string[] {
  return block.split(/\n(?=\s*(?:-|\d+\.) )/).flatMap((item) => {
    const [, mark = '', text = ''] = /^((?:- |\d+\. )?)(.*)$/.exec(oneLine(item)) ?? [];
    return hang(mark, text, MAX_WIDTH);
  });
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
