/** The lines of lists that a command skips, for a person. */
import { SKIP_REASONS, type Skipped, type SkipReason } from '../model/import-report.ts';
import { prose, safeDomain } from './sanitize.ts';
import { count, limited, pageOf, type RenderOptions } from './text.ts';

/** How many lines of a reason are shown; the others are counted. */
const SHOWN = 20;

/** The skipped lines by reason. */
export function skippedBlocks(skipped: readonly Skipped[], options: RenderOptions): string[][] {
  const { style } = pageOf(options);
  return byReason(skipped).map(([reason, lines]) => reasonLines(reason, lines, style.strong));
}

/** How many there are; nothing where there are none. */
export function skippedCount(skipped: readonly Skipped[]): string[] {
  return skipped.length === 0 ? [] : [`Skipped ${count(skipped.length, 'line')}: ${countsOf(skipped)}.`];
}

function byReason(skipped: readonly Skipped[]): (readonly [SkipReason, readonly Skipped[]])[] {
  const reasons = Object.keys(SKIP_REASONS) as SkipReason[];
  return reasons
    .map((reason) => [reason, skipped.filter((one) => one.reason === reason)] as const)
    .filter(([, lines]) => lines.length > 0);
}

function reasonLines(
  reason: SkipReason,
  lines: readonly Skipped[],
  strong: (text: string) => string,
): string[] {
  const words = SKIP_REASONS[reason];
  return [
    strong(`${words.charAt(0).toUpperCase()}${words.slice(1)}:`),
    ...limited(lines, SHOWN, 'line', (one) => `  ${skippedLine(one, strong)}`),
  ];
}

function skippedLine({ place, subject, message }: Skipped, strong: (text: string) => string): string {
  const where = strong(prose(`${place.file}:${place.line}`));
  return `${where}: ${subject === '' ? '' : `${safeDomain(subject)}: `}${prose(message)}`;
}

/** `2 duplicate, 1 IP address`. */
function countsOf(skipped: readonly Skipped[]): string {
  return byReason(skipped)
    .map(([reason, lines]) => `${lines.length} ${SKIP_REASONS[reason]}`)
    .join(', ');
}
