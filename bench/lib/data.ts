/** Generates the same realistic records each time: a twentieth with a password, a tenth with exclude lists. */

export interface BenchRecord {
  readonly domain: string;
  readonly privacy: 0 | 1 | 2;
  readonly email: boolean;
  readonly exclude_params: readonly string[];
  readonly exclude_ips: readonly string[];
  readonly favorited_at: string | undefined;
}

const WORDS = [
  ...['shop', 'blog', 'garden', 'north', 'studio', 'bakery', 'river', 'cloud', 'atlas', 'daily', 'green'],
  ...['harbour', 'lumen', 'paper', 'pixel', 'quartz', 'sport', 'travel', 'urban', 'violet', 'wood', 'zenith'],
];
const ENDINGS = ['com', 'org', 'net', 'de', 'co.uk', 'io', 'fr', 'info'];

export const PASSWORDS = 10;

export function passwordVariable(index: number): string {
  return `SITE_PASSWORD_${index % PASSWORDS}`;
}

/** Similar records are not neighbors, and domains are in no order. */
export function recordAt(index: number): BenchRecord {
  const mixed = (Math.imul(index + 1, 0x9e3779b1) >>> 0) % 1_000_003;
  const word = WORDS[mixed % WORDS.length];
  const hasLists = mixed % 10 === 3;
  return {
    domain: `${word}-${WORDS[(mixed >> 5) % WORDS.length]}${index}.${ENDINGS[mixed % ENDINGS.length]}`,
    privacy: mixed % 20 === 7 ? 2 : mixed % 4 === 1 ? 0 : 1,
    email: mixed % 3 === 0,
    exclude_params: hasLists ? ['utm_source', 'utm_medium', `ref_${mixed % 500}`] : [],
    exclude_ips: hasLists ? [`192.0.2.${mixed % 250}`, '2001:db8::/32'] : [],
    favorited_at: mixed % 25 === 2 ? '2026-01-31T09:00:00Z' : undefined,
  };
}

/** The size of a file, and its differences from `recordAt`. */
export interface FileContent {
  readonly count: number;
  readonly baseUrl: string;
  /** Sets `service.update`. */
  readonly update?: 'changed';
  /** Its order differs from that of the service. */
  readonly shuffled?: boolean;
  readonly change?: (record: BenchRecord, index: number) => BenchRecord;
}

function* recordsOf({
  count,
  shuffled,
  change = same,
}: FileContent): Generator<readonly [BenchRecord, number]> {
  const numbers = Uint32Array.from({ length: count }, (_, index) => index);
  if (shuffled) shuffle(numbers);
  for (const number of numbers) yield [change(recordAt(number), number), number];
}

const same = (record: BenchRecord): BenchRecord => record;

/** Shuffles in the same way each time (Fisher and Yates, by a linear generator). */
function shuffle(numbers: Uint32Array): void {
  let state = 1;
  for (let last = numbers.length - 1; last > 0; last--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (last + 1));
    [numbers[last], numbers[other]] = [numbers[other] as number, numbers[last] as number];
  }
}

/** Common values, which no record repeats. */
function head({ baseUrl, update }: Pick<FileContent, 'baseUrl' | 'update'>): string {
  return [
    '# Made by the bench.',
    'version: 1',
    '',
    'service:',
    `  base_url: ${baseUrl}`,
    '  www: distinct',
    ...(update === undefined ? [] : [`  update: ${update}`]),
    '',
    'defaults:',
    '  privacy: private',
    '  email: false',
    '  exclude_bots: true',
    '',
  ].join('\n');
}

export function* yamlFile(content: FileContent): Generator<string> {
  yield `${head(content)}\nwebsites:\n`;
  for (const [record, number] of recordsOf(content)) yield yamlRecord(record, number);
}

function yamlRecord(record: BenchRecord, number: number): string {
  const settings = [
    ...(record.privacy === 0 ? ['privacy: public'] : []),
    ...(record.privacy === 2 ? ['privacy: password', `password: { env: ${passwordVariable(number)} }`] : []),
    ...(record.email ? ['email: true'] : []),
    ...(record.exclude_params.length > 0 ? [`exclude_params: [${record.exclude_params.join(', ')}]`] : []),
    ...(record.exclude_ips.length > 0 ? [`exclude_ips: [${record.exclude_ips.join(', ')}]`] : []),
    ...(record.favorited_at === undefined ? [] : [`favorited_at: ${record.favorited_at}`]),
  ];
  if (settings.length === 0) return `  - ${record.domain}\n`;
  return `  - domain: ${record.domain}\n${settings.map((line) => `    ${line}\n`).join('')}`;
}

export function yamlOver(file: string, baseUrl: string): string {
  return `${head({ baseUrl })}\nwebsites: { from: ${file} }\n`;
}

const [CLIENTS, REGIONS] = [400, 20];

const clientOf = (number: number, count: number): number => Math.floor((number * CLIENTS) / count);

/**
 * The YAML file of an agency: groups of clients within groups of regions, defaults at three levels. It has every other
 * record; its table has the others, and names their groups.
 */
export function* agencyYaml(file: string, content: FileContent): Generator<string> {
  const { count } = content;
  yield `${head(content)}\nwebsites:\n  - from: ${file}\n`;
  const own = [...recordsOf(content)].filter(([, number]) => number % 2 === 0);
  let [last, region] = [-1, -1];
  for (const [record, number] of own) {
    const client = clientOf(number, count);
    if (Math.floor((client * REGIONS) / CLIENTS) !== region) {
      region = Math.floor((client * REGIONS) / CLIENTS);
      yield `  - group: region-${region}\n    defaults: { exclude_bots: true }\n    websites:\n`;
    }
    if (client !== last) {
      last = client;
      yield `      - group: client-${client}\n        defaults: { email: false, exclude_bots: true }\n        websites:\n`;
    }
    yield yamlRecord(record, number).replaceAll(/^/gm, '        ').replace(/ +$/, '');
  }
}

export function* agencyCsv(content: FileContent): Generator<string> {
  let isHead = true;
  let number = -1;
  for (const line of csvFile(content)) {
    if (isHead) yield `group,${line}`;
    else if (number % 2 === 1) yield `client-${clientOf(number, content.count)},${line}`;
    isHead = false;
    number += 1;
  }
}

const PRIVACY = ['public', 'private', 'password'];

export function* csvFile(content: FileContent): Generator<string> {
  yield 'domain,privacy,password,email,exclude_params,exclude_ips,favorited_at\n';
  for (const [record, number] of recordsOf(content)) {
    const cells = [
      record.domain,
      record.privacy === 1 ? '' : PRIVACY[record.privacy],
      record.privacy === 2 ? `env:${passwordVariable(number)}` : '',
      record.email ? 'true' : '',
      record.exclude_params.join(' '),
      record.exclude_ips.join(' '),
      record.favorited_at ?? '',
    ];
    yield `${cells.join(',')}\n`;
  }
}

export function* ndjsonFile(content: FileContent): Generator<string> {
  for (const [record, number] of recordsOf(content)) {
    const own = {
      domain: record.domain,
      ...(record.privacy === 1 ? {} : { privacy: PRIVACY[record.privacy] }),
      ...(record.privacy === 2 ? { password: { env: passwordVariable(number) } } : {}),
      ...(record.email ? { email: true } : {}),
      ...(record.exclude_params.length > 0 ? { exclude_params: record.exclude_params } : {}),
      ...(record.exclude_ips.length > 0 ? { exclude_ips: record.exclude_ips } : {}),
      ...(record.favorited_at === undefined ? {} : { favorited_at: record.favorited_at }),
    };
    yield `${JSON.stringify(own)}\n`;
  }
}

export function shownRecord(id: number, record: BenchRecord): string {
  return JSON.stringify({
    id,
    domain: record.domain,
    privacy: record.privacy,
    password: record.privacy === 2,
    email: Number(record.email),
    exclude_bots: 1,
    exclude_params: record.exclude_params.join('\n') || null,
    exclude_ips: record.exclude_ips.join('\n') || null,
    favorited_at: record.favorited_at?.replace('T', ' ').replace('Z', '') ?? null,
    created_at: '2026-11-20T23:53:11.000000Z',
    updated_at: '2026-11-20T23:53:11.000000Z',
  });
}
