/** What keeps a plan from being made, as the comment that would have held it, or from being applied. */
import type { ErrorCode } from '../model/errors.ts';
import { formatPlace } from '../model/errors.ts';
import { wordsOf } from './error.ts';
import { alert, code, FENCE, fenced, fitting, inline, type MarkdownOptions } from './markdown.ts';
import { problemLines, worstFirst } from './problems.ts';
import { moreLine, textOf } from './text.ts';

const [MESSAGE_LENGTH, PLACE_LENGTH] = [800, 300];

/** What keeps a plan that is there from being applied. */
const REFUSALS: readonly (ErrorCode | 'bug')[] = ['guard-refused', 'approval-missing', 'plan-stale'];

/** The error as Markdown of at most `limit` characters, for the place of the plan; errors in the files are the last to be cut. */
export function errorMarkdown(error: unknown, options: MarkdownOptions = {}): string {
  const { code: what, message, remedy, place, problems } = wordsOf(error);
  const head = [
    ['<!-- websites-as-code:plan -->'],
    [`## Websites: ${REFUSALS.includes(what) ? 'nothing was applied' : 'failed'}`],
    alert('CAUTION', [
      inline(message, MESSAGE_LENGTH),
      ...(place === undefined ? [] : [`At ${code(formatPlace(place), PLACE_LENGTH)}`]),
      ...(remedy === undefined ? [] : [`**Remedy:** ${inline(remedy, MESSAGE_LENGTH)}`]),
      `**More:** ${code(`websites explain ${what}`)}`,
    ]),
  ];
  const blocks = worstFirst(problems).map((problem) => problemLines(problem, FENCE));
  return fitting(blocks.length, options, (shown) => {
    const more = moreLine(blocks.length - shown, 'problem');
    const lines = blocks.slice(0, shown).flatMap((block, index) => (index === 0 ? block : ['', ...block]));
    return textOf([...head, blocks.length === 0 ? [] : [...fenced('', lines), ...more]]);
  });
}
