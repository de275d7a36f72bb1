import { type ImportReport, type ListReading, SKIP_REASONS, type Unchecked } from '../model/import-report.ts';
import { quoted } from '../model/next-command.ts';
import { groupBy } from '../util/group-by.ts';
import { placeText } from './changes.ts';
import { type Block, type Document, headlined, listOf, messagesOf } from './document.ts';
import {
  count,
  joinShortenedTexts,
  joinTexts,
  moreOf,
  prose,
  safe,
  safeDomain,
  say,
  type Text,
} from './sanitize.ts';

const MAX_SHOWN = 20;

/** Shows skipped lines by reason, first those that need action, then how each list was read. */
export function importDocument(report: ImportReport): Document {
  const { skipped, readings, not_checked = [] } = report;
  const { into, added, written, refused, next, unset } = report;
  const what = say`${written ? 'Added' : 'Would add'} ${count(added, 'website')}`;
  const reasons = Object.entries(SKIP_REASONS).map(([reason, words]) => ({
    heading: words,
    lines: skipped.filter((one) => one.reason === reason),
    isInvalid: reason === 'invalid',
  }));
  const counts = reasons.map(
    ({ heading, lines: { length } }) => length > 0 && say`${length} ${prose(heading)}`,
  );
  return {
    ...headlined(say`${added === 0 ? 'Nothing to add' : what} to ${prose(into)}`, [
      refused && say`Nothing was written: with --strict, no line may be skipped.`,
      next !== null && say`Next: ${unset && say`${prose(unset)}, then: `}${prose(next)}`,
    ]),
    body: [
      messagesOf(
        skipped.length > 0 && { text: say`Skipped ${count(skipped.length, 'line')}: ${joinTexts(counts)}.` },
      ),
      ...[...reasons, { heading: 'not checked in DNS', lines: not_checked, isInvalid: false }].map(
        linesBlock,
      ),
      ...readings.map(readingBlock),
    ],
  };
}

interface Reason {
  readonly heading: string;
  readonly lines: readonly Unchecked[];
  /** True if the domain does not matter, because usually another value is wrong. */
  readonly isInvalid: boolean;
}

/** Lines with the same text and message become one item. */
function linesBlock({ heading, lines, isInvalid }: Reason): Block {
  const alike = groupBy(lines, ({ subject, message }) => JSON.stringify([!isInvalid && subject, message]))
    .map(([, same]) => same)
    .sort((a, b) => b.length - a.length);
  const items = alike.slice(0, MAX_SHOWN).map((same) => {
    const [{ subject, message, place }] = same;
    const isNamed = subject !== '' && (same.length === 1 || !isInvalid);
    const what = say`${isNamed && say`${safeDomain(subject)}: `}${prose(message)}`;
    const where = placeText(place);
    return same.length === 1 ? say`${where}: ${what}` : say`${same.length} × ${what}, first in ${where}`;
  });
  const more = moreOf(alike.slice(MAX_SHOWN).flat().length, say`line`);
  return listOf(prose(heading.charAt(0).toUpperCase() + heading.slice(1)), [...items, ...more]);
}

const MAX_VALUES = 5;

function readingBlock({ file, list, taken, header, encoding, ...columns }: ListReading): Block {
  const { misnamed, unknown } = columns;
  const isRenamed = taken.some(({ column, key }) => column !== key);
  const read = taken.map(({ column, key }) => say`${quote(column)} as ${prose(key)}`);
  const items = [
    encoding && say`read as ${prose(encoding)}, since it is not UTF-8`,
    header !== undefined && say`skipped what is above the header in line ${header}`,
    list && say`read the list ${safe(list)}`,
    unknown.length > 0 && say`ignored columns: ${joinTexts(unknown.map((name) => safe(name)))}`,
    ...misnamed.map(({ column, key, expected, values }) => {
      const shown = values.map(({ value, count: times }) => say`${quote(value)} ${times} ×`);
      const flag = prose(quoted(`${prose(column)}=${key}`));
      const remedy = say`To read the column anyway, add --map ${flag}.`;
      return say`ignored ${safe(column)} (${joinShortenedTexts(shown, MAX_VALUES)}): ${prose(key)} ${prose(expected)}. ${remedy}`;
    }),
    isRenamed &&
      say`read ${joinTexts(read)}. To read another column, add --map "COLUMN=KEY". To skip one, add --map "COLUMN=".`,
  ];
  return listOf(prose(file), items);
}

function quote(text: string): Text {
  return prose(JSON.stringify(safe(text)));
}
