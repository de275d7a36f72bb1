import { EXIT } from '../../model/errors.ts';
import { suggestion } from '../../util/did-you-mean.ts';
import { usageError } from '../argv/flags.ts';
import { defineCommand } from '../command.ts';

const HOW = '"websites explain" lists them.';

export default defineCommand({
  positional: '[CODE]',
  flags: {},
  examples: [
    ['websites explain guard-refused', 'what it means, how it comes about and what to do'],
    ['websites explain', 'the codes that there are'],
  ],
  async run(_flags, io, [code, ...more]) {
    if (more.length > 0) throw usageError('"websites explain" takes one code.', HOW);
    const { default: page } = await import('../../../docs/troubleshooting.md');
    const paragraphs = paragraphsOf(page);
    const codes = [...paragraphs.keys()];
    if (code === undefined) {
      io.out(`${codes.join('\n')}\n`);
      return EXIT.done;
    }
    const paragraph = paragraphs.get(code);
    if (paragraph === undefined) {
      throw usageError(`There is no code ${JSON.stringify(code)}.`, suggestion(code, codes, HOW));
    }
    io.out(`${paragraph}\n`);
    return EXIT.done;
  },
});

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
