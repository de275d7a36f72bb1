import { ERROR_CODES, EXIT } from '../../model/errors.ts';
import { GUARD_CODES } from '../../model/guard.ts';
import { WARNING_CODES } from '../../model/warning.ts';
import { suggestion } from '../../util/did-you-mean.ts';
import { usageError } from '../argv/flags.ts';
import { defineCommand } from '../command.ts';

const HOW = '"websites explain" lists them.';

export default defineCommand({
  positional: '[CODE]',
  subcommands: [...ERROR_CODES, ...GUARD_CODES.map((code) => `guard-${code}`), 'bug', ...WARNING_CODES],
  flags: {},
  examples: [
    ['websites explain guard-refused', 'explain an error: meaning, causes and fix'],
    ['websites explain', 'list all codes'],
  ],
  async run(_flags, io, [code, ...more]) {
    if (more.length > 0) throw usageError('"websites explain" takes one code.', HOW);
    const { default: errors } = await import('../../../docs/troubleshooting.md');
    const { default: warnings } = await import('../../../docs/warnings.md');
    const paragraphs = new Map([...paragraphsOf(errors), ...paragraphsOf(warnings)]);
    const codes = [...paragraphs.keys()];
    if (code === undefined) {
      io.out(codeList(paragraphs));
      return EXIT.done;
    }
    const paragraph = paragraphs.get(code);
    if (paragraph === undefined) {
      throw usageError(`Unknown code: ${JSON.stringify(code)}.`, suggestion(code, codes, HOW));
    }
    io.out(`${code}\n\n${asText(paragraph)}\n`);
    return EXIT.done;
  },
});

/** Every code with the first sentence of its meaning. */
function codeList(paragraphs: ReadonlyMap<string, string>): string {
  const column = Math.max(...[...paragraphs.keys()].map((code) => code.length)) + 2;
  const lines = [...paragraphs].map(([code, paragraph]) => {
    const [, meaning = ''] = /Meaning: (.*?\.)(?:\s|$)/.exec(asText(paragraph).replaceAll(/\s+/g, ' ')) ?? [];
    return `${code.padEnd(column)}${meaning}`;
  });
  return `${lines.join('\n')}\n`;
}

const WIDEST = 80;

/** Markdown as a terminal shows it: without its marks, in lines of 80 columns. */
function asText(markdown: string): string {
  const plain = markdown
    .replaceAll(/\*\*([^*]+?)\.?\*\*/g, '$1:')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '');
  return plain
    .split(/\n{2,}/)
    .map((block) => (/^\s*(?:[-|]|\d+\.) /m.test(block) ? block : wrapped(block.replaceAll(/\s+/g, ' '))))
    .join('\n\n');
}

function wrapped(text: string): string {
  return text.replaceAll(new RegExp(`(.{1,${WIDEST}})(?: |$)`, 'g'), '$1\n').trimEnd();
}

/** What the page has under the heading of each code. */
function paragraphsOf(page: string): ReadonlyMap<string, string> {
  const sections = page.split(/^#{2,3} /m).slice(1);
  return new Map(
    sections.flatMap((section): [string, string][] => {
      const [, code, text = ''] = /^`([\w-]+)`\n([\s\S]*)$/.exec(section) ?? [];
      return code === undefined ? [] : [[code, text.trim()]];
    }),
  );
}
