import {
  type ImportReport,
  type ListReading,
  SKIP_REASONS,
  type Skipped,
  type Unchecked,
} from '../model/import-report.ts';
import { quoted } from '../model/next-command.ts';
import { groupBy } from '../util/group-by.ts';
import { placeText } from './changes.ts';
import { type Block, type Document, headlined, plainMessages } from './document.ts';
import { joinTexts, prose, safe, safeDomain, say, type Text } from './sanitize.ts';
import { count, moreOf } from './words.ts';

const MAX_SHOWN = 20;

/** Shows skipped lines by reason, first those that need action, then the counts. */
export function importDocument(report: ImportReport): Document {
  const { skipped, readings, not_checked = [] } = report;
  const { into, added, written, refused, next, unset } = report;
  const what = written ? say`Added ${count(added, 'website')}` : say`Would add ${count(added, 'website')}`;
  const headline = say`${added === 0 ? say`Nothing to add` : what} to ${prose(into)}`;
  const isRenamed = readings.some(({ taken }) => renamed(taken).length > 0);
  const reasons = Object.entries(SKIP_REASONS).flatMap(([reason, words]) => {
    const lines = skipped.filter((one) => one.reason === reason);
    return lines.length === 0 ? [] : [[prose(words), lines] as const];
  });
  const counts = reasons.map(([reason, lines]) => say`${lines.length} ${reason}`);
  const first = unset === undefined ? say`` : say`${prose(unset)}, then: `;
  const then = next === null ? say`` : say`Next: ${first}${prose(next)}`;
  const why = refused ? say`Nothing was written: with --strict, no line may be skipped.` : say``;
  return {
    about: say`Websites`,
    ...headlined(headline, [why, then]),
    body: [
      ...plainMessages(
        skipped.length === 0 ? [] : [say`Skipped ${count(skipped.length, 'line')}: ${joinTexts(counts)}.`],
      ),
      ...reasons.map(([reason, lines]) => linesBlock(reason, lines)),
      ...(not_checked.length > 0 ? [linesBlock(say`not checked in DNS`, not_checked)] : []),
      ...plainMessages([
        ...readings.flatMap(({ file, unknown }) => columnsTexts(file, unknown, say`ignored columns`)),
        ...readings.flatMap(misnamedTexts),
      ]),
      ...plainMessages(
        readings.flatMap(({ file, doubtful }) => {
          const flags = doubtful.map((name) => say`--map ${flagValue(`${prose(name)}=`)}`);
          const remedy = say`  To ignore ${doubtful.length === 1 ? 'it' : 'them'}, add ${joinTexts(flags, ' ')}.`;
          const texts = columnsTexts(file, doubtful, say`used as settings`);
          return texts.flatMap((text) => [text, remedy]);
        }),
      ),
      ...plainMessages([
        ...readings.flatMap(readingTexts),
        ...(isRenamed ? [say`  To read another column, add --map "COLUMN=KEY".`] : []),
      ]),
    ],
  };
}

/**
 * Lines with the same text and message become one item. For an invalid row, the domain does not matter, because
 * usually another value is wrong.
 */
function linesBlock(heading: Text, lines: readonly (Unchecked | Skipped)[]): Block {
  const isInvalid = (line: Unchecked | Skipped): boolean => 'reason' in line && line.reason === 'invalid';
  const alike = groupBy(lines, (line) =>
    JSON.stringify([isInvalid(line) ? '' : line.subject, line.message]),
  ).map(([, same]) => same);
  alike.sort((a, b) => b.length - a.length);
  const items = alike.slice(0, MAX_SHOWN).map((same) => {
    const [line] = same;
    const times = same.length;
    const isNamed = line.subject !== '' && (times === 1 || !isInvalid(line));
    const what = say`${isNamed ? say`${safeDomain(line.subject)}: ` : say``}${prose(line.message)}`;
    const where = placeText(line.place);
    return times === 1 ? say`${where}: ${what}` : say`${times} × ${what}, first in ${where}`;
  });
  const left = alike.slice(MAX_SHOWN).flat().length;
  const noun = say`line`;
  const title = prose(heading.charAt(0).toUpperCase() + heading.slice(1));
  return { kind: 'list', tone: 'plain', title, items: [...items, ...moreOf(left, noun)] };
}

function renamed(taken: ListReading['taken']) {
  return taken.some(({ column, key }) => column !== key) ? taken : [];
}

function readingTexts(reading: ListReading): Text[] {
  const { list, taken, header, encoding } = reading;
  const read = renamed(taken).map(({ column, key }) => say`${quote(column)} as ${prose(key)}`);
  const texts = [
    ...(encoding === undefined ? [] : [say`read as ${prose(encoding)}, since it is not UTF-8`]),
    ...(header === undefined ? [] : [say`skipped what is above the header in line ${header}`]),
    ...(list === undefined ? [] : [say`read the list ${safe(list)}`]),
    ...(read.length === 0 ? [] : [say`read ${joinTexts(read)}`]),
  ];
  return texts.map((text) => say`${prose(reading.file)}: ${text}`);
}

function quote(text: string): Text {
  return prose(JSON.stringify(safe(text)));
}

const MAX_VALUES = 5;

function misnamedTexts({ misnamed }: ListReading): Text[] {
  return misnamed.flatMap(({ column, key, expected, values }) => {
    const shown = values.map(({ value, count: times }) => say`${quote(value)} ${times} ×`);
    const more = shown.length > MAX_VALUES ? [say`${shown.length - MAX_VALUES} other values`] : [];
    return [
      say`  ${safe(column)}: ${joinTexts([...shown.slice(0, MAX_VALUES), ...more])}`,
      say`    ${prose(key)} ${prose(expected)}. To read the column anyway, add --map ${flagValue(`${prose(column)}=${key}`)}.`,
    ];
  });
}

function flagValue(text: string): Text {
  return prose(quoted(text));
}

function columnsTexts(file: string, names: readonly string[], what: Text): readonly Text[] {
  return names.length === 0
    ? []
    : [say`${prose(file)}: ${what}: ${joinTexts(names.map((name) => safe(name)))}`];
}
