/** What a probe found, for a person and for a program. */
import {
  countVerdicts,
  isResolverAtFault,
  PROBE_FORMAT,
  type Probed,
  type ProbeReport,
  VERDICT_NAMES,
} from '../model/probe-report.ts';
import { csvRow } from './export/csv.ts';
import { placeText } from './heading.ts';
import { jsonDocument, jsonLine } from './json.ts';
import { prose, safe, safeDomain } from './sanitize.ts';
import { skippedBlocks, skippedCount } from './skipped.ts';
import { count, linedUp, moreLine, type RenderOptions, textOf } from './text.ts';

/** How many results are shown; the others are counted. */
const SHOWN = 50;

/** The results, those that are not `ok` first where there are too many, then the counts. */
export function probeHuman(report: ProbeReport, options: RenderOptions): string {
  return textOf([resultLines(report.results), ...summaryBlocks(report, options)]);
}

/** What a table or a stream of the results does not hold. */
export function probeSummary(report: ProbeReport, options: RenderOptions): string {
  return textOf(summaryBlocks(report, options));
}

function summaryBlocks({ results, skipped }: ProbeReport, options: RenderOptions): string[][] {
  return [
    ...skippedBlocks(skipped, options),
    [...skippedCount(skipped), summaryLine(results), ...(isResolverAtFault(results) ? [RESOLVER] : [])],
  ];
}

const RESOLVER = 'Most domains have no address. Check the resolver, or pass another one with --dns.';

/** Those of an import that are to be looked into: all that are not `ok`. */
export function doubtfulLines(results: readonly Probed[]): string[] {
  return resultLines(results.filter(({ verdict }) => verdict !== 'ok'));
}

function resultLines(results: readonly Probed[]): string[] {
  if (results.length === 0) return [];
  const isFine = ({ verdict }: Probed): boolean => verdict === 'ok';
  const foremost = [...results.filter((one) => !isFine(one)), ...results.filter(isFine)];
  const shown = results.length > SHOWN ? foremost.slice(0, SHOWN) : results;
  const rows = shown.map(({ domain, verdict, reason, url }) => [
    safeDomain(domain),
    verdict,
    verdict === 'ok' ? safe(url) : prose(reason),
  ]);
  return [
    ...linedUp([['DOMAIN', 'VERDICT', 'DETAIL'], ...rows]),
    ...moreLine(results.length - SHOWN, 'website'),
  ];
}

/** `12 websites: 10 ok, 2 no-dns.` */
export function summaryLine(results: readonly Probed[]): string {
  const counts = countVerdicts(results);
  const parts = VERDICT_NAMES.filter((verdict) => counts[verdict] > 0).map(
    (verdict) => `${counts[verdict]} ${verdict}`,
  );
  return `${[count(results.length, 'website'), parts.join(', ')].filter(Boolean).join(': ')}.`;
}

function rowOf({ domain, source, verdict, url, status, address, location, reason }: Probed) {
  return { domain, source, verdict, reason, url, status, address, location };
}

/** The document `websites.probe/1`. */
export function probeDocument({ results, skipped }: ProbeReport) {
  return {
    format: PROBE_FORMAT,
    summary: countVerdicts(results),
    results: results.map(rowOf),
    skipped: skipped.map(({ place, ...why }) => ({ ...place, ...why })),
  };
}

export function probeJson(report: ProbeReport): string {
  return jsonDocument(probeDocument(report));
}

/** One result as a line of NDJSON. */
export function probeLine(result: Probed): string {
  return jsonLine(rowOf(result));
}

const COLUMNS = ['domain', 'verdict', 'reason', 'url', 'status', 'address', 'location', 'source'];

/** A line of column names, then a result per line. */
export function* probeCsv({ results }: ProbeReport): Generator<string> {
  yield `${COLUMNS.join(',')}\n`;
  for (const result of results) {
    const { source, ...row } = rowOf(result);
    const cells = Object.entries({ ...row, source: placeText(source) });
    yield csvRow(COLUMNS, new Map(cells.map(([name, value]) => [name, String(value ?? '')])));
  }
}
