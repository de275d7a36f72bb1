import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BulkFormat } from '../../../src/config/bulk/bulk.ts';
import { plainName } from '../../../src/config/bulk/columns.ts';
import {
  type Imported,
  type ImportOptions,
  importLists,
  readImportSettings,
} from '../../../src/config/import/import.ts';
import { below, inheritedOf } from '../../../src/config/read/records.ts';
import type { Settings } from '../../../src/model/field-table.ts';
import { load } from '../support.ts';

const SOURCES = { folder: '/work/sites', allowPaths: [] };

interface Given extends Partial<Pick<ImportOptions, 'config' | 'renames'>> {
  readonly settings?: Settings;
  readonly format?: BulkFormat;
  readonly more?: string;
}

async function importText(
  text: string | Uint8Array,
  { format = 'text', more, settings = {}, ...options }: Given = {},
): Promise<Imported> {
  const lists = [text, ...(more === undefined ? [] : [more])].map((content, index) => ({
    file: { path: `list-${index + 1}`, absolute: `/work/sites/lists/list-${index + 1}` },
    bytes: Buffer.from(content),
    format,
  }));
  return importLists(lists, {
    config: undefined,
    renames: new Map(),
    around: below(options.config?.outermost ?? inheritedOf({}), settings, undefined),
    ...options,
    sources: SOURCES,
  });
}

const domains = ({ websites }: Imported): string[] => websites.map(({ domain }) => domain);
const skipped = (imported: Imported): string[] =>
  imported.skipped.map(
    ({ place, reason, subject, message }) => `${place.line} ${reason} ${subject}: ${message}`,
  );

test.each([
  ['EXAMPLE.com', 'example.com'],
  ['https://example.com/a?b#c', 'example.com'],
  ['//example.com:8080', 'example.com'],
  ['example.com.', 'example.com'],
  ['  example.com\t# ours', 'example.com'],
  ['BÜCHER.example', 'xn--bcher-kva.example'],
  ['https://bücher.example/“a–b”', 'xn--bcher-kva.example'],
  ['my－site.example', 'my-site.example'],
  ['l·l.example', 'xn--ll-0ea.example'],
  ['www.example.com', 'www.example.com'],
  ['example.co.uk', 'example.co.uk'],
  ['someone.github.io', 'someone.github.io'],
  ['github.io', 'github.io'],
  ['a_b.example', 'a_b.example'],
  ['host.internal', 'host.internal'],
])('import reads the line %j as the domain %s', async (line, domain) => {
  const imported = await importText(line);
  expect([domains(imported), skipped(imported)]).toEqual([[domain], []]);
});

test.each([
  ['- a.example\n* b.example', 2],
  ['1. a.example\n2) b.example', 2],
  ['"a.example",\n"b.example"', 2],
  ['a.example; b.example, c.example', 3],
  ['  server_name a.example b.example;', 2],
  ['sc-domain:a.example', 1],
])('import reads domains in list notation: %j', async (text, count) => {
  const imported = await importText(text);
  expect(domains(imported)).toEqual(['a.example', 'b.example', 'c.example'].slice(0, count));
  expect(imported.skipped).toEqual([]);
});

test.each([
  ['not a domain', 'not_a_domain not a domain: not a domain: it contains white space'],
  [
    'user:secret@example.com',
    'not_a_domain …@example.com: not a domain: it contains an @, like an email address or credentials',
  ],
  [
    'user:secret@a.example other:hidden@b.example',
    'not_a_domain …@a.example …@b.example: not a domain: it contains an @, like an email address or credentials',
  ],
  [
    'https://a..example/x?token=secret',
    'not_a_domain https://a..example/x?…: not a domain: a label is not 1 to 63 letters or digits with hyphens between them',
  ],
  ['“a.example”', 'not_a_domain “a.example”: not a domain: it contains “ (U+201C) at position 1'],
  ['localhost', 'not_a_domain localhost: not a domain: it has no dot'],
  ['com', 'not_a_domain com: not a domain: it has no dot'],
  ['co.uk', 'public_suffix co.uk: only a public suffix, not a registered domain'],
  ['https://CO.UK/', 'public_suffix https://CO.UK/: only a public suffix, not a registered domain'],
  ['公司.cn', 'public_suffix 公司.cn: only a public suffix, not a registered domain'],
  ['whatever.ck', 'public_suffix whatever.ck: only a public suffix, not a registered domain'],
  ['192.0.2.1', 'ip_address 192.0.2.1: an IP address, not a domain'],
  ['http://192.0.2.1:80/', 'ip_address http://192.0.2.1:80/: an IP address, not a domain'],
  ['2001:db8::1', 'ip_address 2001:db8::1: an IP address, not a domain'],
  [
    'https://[2001:db8::1]:8443/x',
    'not_a_domain https://[2001:db8::1]:8443/x: not a domain: it contains "["',
  ],
])('import skips the line %j with a reason', async (line, why) => {
  const imported = await importText(`${line}\n`);
  expect([domains(imported), skipped(imported)]).toEqual([[], [`1 ${why}`]]);
});

test.each(['//', 'a:', 'a', ' #'])('import skips a line of 200 KB that repeats %j', async (piece) => {
  const imported = await importText(`x${piece.repeat(200_000 / piece.length)}\u2028\nb.example\n`);
  expect(imported.skipped.map(({ reason }) => reason)).toEqual(['not_a_domain']);
  expect(domains(imported)).toEqual(['b.example']);
});

test('import does not show credentials of a long line with an @', async () => {
  const [{ subject = '' } = {}] = (await importText(`//a:secret@b${' //a:secret@c'.repeat(100)}/d\n`))
    .skipped;
  expect(subject).toBe('…@c/d');
});

test('import skips a domain that the list has twice', async () => {
  const text = 'a.example\n\nA.example.\nwww.a.example\nwww.b.example\nb.example\nhttps://b.example/\n';
  const imported = await importText(text, { more: 'b.example\nc.example\n' });
  expect(domains(imported)).toEqual(['a.example', 'www.b.example', 'c.example']);
  expect(skipped(imported)).toEqual([
    '3 duplicate a.example: duplicate of line 1',
    '4 www_variant www.a.example: www variant of line 1',
    '6 www_variant b.example: www variant of line 5',
    '7 www_variant b.example: www variant of line 5',
    '1 www_variant b.example: www variant of list-1:5',
  ]);
});

test('import skips a domain that the configuration declares or ignores', async () => {
  const config = await load(
    'ignore: ["*.internal.example"]\nwebsites:\n  - a.example\n  - { domain: old.example, state: absent }\n',
  );
  const imported = await importText(
    'A.example\nwww.a.example\nx.internal.example\nold.example\nb.example\na.example\n',
    { config },
  );
  expect(domains(imported)).toEqual(['b.example']);
  expect(skipped(imported)).toEqual([
    '1 declared a.example: already declared in websites.yaml:3',
    '2 www_variant www.a.example: www variant of websites.yaml:3',
    '3 ignored x.internal.example: covered by a pattern under "ignore"',
    '4 declared old.example: already declared in websites.yaml:4',
    '6 declared a.example: already declared in websites.yaml:3',
  ]);
});

test('import skips a domain if its www variant is ignored', async () => {
  const config = await load('service: { www: same }\nignore: [a.example, www.b.example]\nwebsites: []\n');
  const imported = await importText('www.a.example\nb.example\nc.example\n', { config });
  expect(domains(imported)).toEqual(['c.example']);
  expect(imported.skipped.map(({ reason }) => reason)).toEqual(['ignored', 'ignored']);
});

test('import adds a www variant if the configuration has "www: distinct"', async () => {
  const config = await load('service: { www: distinct }\nignore: [www.c.example]\nwebsites: [a.example]\n');
  const text = 'www.a.example\nb.example\nwww.b.example\nc.example\n';
  expect(domains(await importText(text, { config }))).toEqual([
    'www.a.example',
    'b.example',
    'www.b.example',
    'c.example',
  ]);
});

test('import adds a domain if an earlier line with it was skipped as invalid', async () => {
  const text = 'domain,privacy\na.example,secret\na.example,private\n';
  const imported = await importText(text, { format: 'csv' });
  expect(imported.websites).toMatchObject([
    { domain: 'a.example', settings: { privacy: 1 }, source: { line: 3 } },
  ]);
  expect(skipped(imported)).toEqual([
    '2 invalid a.example: privacy "secret" must be public, private, password or a number (0, 1, 2)',
  ]);
});

const settings = (pairs: Record<string, string>) =>
  readImportSettings(new Map(Object.entries(pairs)), '/work/sites', SOURCES);

test('import takes a setting from the row, then --default, then the defaults of the file', async () => {
  const config = await load(
    'defaults: { privacy: public, email: true, exclude_bots: false }\nwebsites: []\n',
  );
  const text = 'Site,Privacy,Exclude Bots\na.example,private,\nb.example,,\n';
  const { websites } = await importText(text, {
    format: 'csv',
    config,
    settings: settings({ exclude_bots: 'TRUE' }),
  });
  expect(websites.map((website) => website.settings)).toEqual([
    { privacy: 1, email: true, exclude_bots: true },
    { privacy: 0, email: true, exclude_bots: true },
  ]);
});

test('import gives a password from --default only to records that need a password', async () => {
  const text = 'domain,privacy\na.example,password\nb.example,private\n';
  const { websites } = await importText(text, { format: 'csv', settings: settings({ password: 'env:P' }) });
  expect(websites.map((website) => website.settings)).toEqual([
    { privacy: 2, password: { env: 'P' } },
    { privacy: 1 },
  ]);
});

test('import reads the path of a password file relative to the list', async () => {
  const text =
    'domain,privacy,password\na.example,2,file:a.secret\nb.example,2,file:/etc/passwd\nc.example,2,hunter2\n';
  const imported = await importText(text, { format: 'csv' });
  expect(imported.websites.map((website) => website.settings.password)).toEqual([{ file: 'lists/a.secret' }]);
  expect(skipped(imported)).toEqual([
    '3 invalid b.example: this file is outside the directory of the configuration',
    '4 invalid c.example: password is stored in plain text',
  ]);
  expect(JSON.stringify(imported)).not.toContain('hunter2');
});

test.each([
  [{ domain: 'a.example' }, '--default: unknown key domain.'],
  [{ email: 'null' }, '--default: email must be true or false.'],
  [
    { exclude_params: 'utm_source,ref' },
    '--default: exclude_params contains a comma, and lists are split at white space or ";".',
  ],
])('an invalid --default is an error: %j', (pairs, message) => {
  expect(() => settings(pairs as unknown as Record<string, string>)).toThrow(
    expect.objectContaining({ code: 'usage', message }),
  );
});

const text = 'Our Sites,Owner,Privacy\na.example,me,1\n';

test('import --map renames columns, and other unknown columns are reported', async () => {
  const renames = new Map([[plainName('our sites'), 'domain']]);
  const imported = await importText(text, { format: 'csv', renames });
  expect(imported).toMatchObject({
    websites: [{ domain: 'a.example', settings: { privacy: 1 } }],
    readings: [{ file: 'list-1', unknown: ['Owner'] }],
  });
});

// As registrars, and programs like theirs, export them.
test.each<[BulkFormat, string, string]>([
  [
    'csv',
    'Domain Name,Create Date,Status,Privacy,Auto-renew\na.example,1/2/2020,Active,On,On\n',
    'Domain Name',
  ],
  [
    'csv',
    '"Domain Name","Domain expiration date","Domain ID"\n"a.example","2027-01-01","1"\n',
    'Domain Name',
  ],
  ['csv', '\ufefffqdn;tld;owner;email\r\na.example;example;me;me@a.example\r\n', 'fqdn'],
  ['csv', 'Nom de domaine;Date d’expiration;État\na.example;2027;actif\n', 'Nom de domaine'],
  ['csv', 'Vertrag;Domäne;Status\n1;a.example;aktiv\n', 'Domäne'],
  ['csv', 'DOMAIN,TLD,CREATE DATE\na.example,example,2020\n', 'DOMAIN'],
  ['csv', 'Name,Type,Records\na.example.,Public,4\n', 'Name'],
  ['csv', 'Name,Website\nOurs,https://a.example/\n', 'Website'],
  ['csv', 'Domain,URL\nours,https://a.example/\n', 'URL'],
  ['csv', 'Registered Domain (IDN),Name Servers\na.example,ns1.b.example\n', 'Registered Domain (IDN)'],
  ['text', 'Domain\tExpires\na.example\t2027\n', 'Domain'],
  ['text', 'sep=;\r\nDomain Name;Owner\r\na.example;me\r\n', 'Domain Name'],
  ['text', '[{"DomainName": "a.example", "AutoRenew": true}]', 'DomainName'],
  ['json', '[{"domain": "a.example", "privacy": false, "status": "ACTIVE"}]', 'domain'],
  ['json', '{"HostedZones": [{"Id": "/zone/1", "Name": "a.example."}], "IsTruncated": false}', 'Name'],
  ['json', '{"count": 1, "domains": [{"id": 1, "name": "a.example", "tld": "example"}]}', 'name'],
  ['ndjson', '{"zone": "a.example", "state": "live"}\n', 'zone'],
])('import recognizes the domain column of a %s export: %j', async (format, text, column) => {
  const imported = await importText(text, { format });
  expect([domains(imported), skipped(imported)]).toEqual([['a.example'], []]);
  expect(imported.readings).toMatchObject([{ taken: [{ column, key: 'domain' }] }]);
});

test.each<[string, string | Buffer, number]>([
  ['a title and a blank line above', 'Domain report 2026\n\nDomain;Expires\na.example;2027\n', 3],
  ['a title of several cells', 'Report,2026-01-31\nName,Address\nOurs,https://a.example:8443/x\n', 2],
  ['a name twice', 'Domain,Status,Domain,Status\na.example,x,b.example,y\n', 1],
  ['an older encoding', Buffer.from('Domäne;Kunde\na.example;Öz\n', 'latin1'), 1],
  ['pages of one domain', 'Address,Code\nhttps://a.example/1,200\nhttps://a.example/2,200\n', 1],
])('import finds the columns of a table with %s', async (_, text, line) => {
  const imported = await importText(text, { format: 'csv' });
  expect(domains(imported)).toEqual(['a.example']);
  expect(imported.skipped.every(({ reason }) => reason === 'duplicate')).toBe(true);
  expect(imported.readings[0]?.header ?? 1).toBe(line);
});

test('import uses a column named like a setting only if one of its values fits', async () => {
  const mixed = 'domain,privacy,email,password\na.example,secret,me@a.example,x\nb.example,1,nobody,\n';
  const imported = await importText(mixed, { format: 'csv' });
  expect(imported.readings[0]?.misnamed).toMatchObject([{ column: 'email', key: 'email' }]);
  expect(skipped(imported)).toEqual([expect.stringContaining('privacy "secret" must be public')]);
  expect(domains(imported)).toEqual(['b.example']);
});

test('if --map skips a domain column, import uses a later one', async () => {
  const two = 'Domain,URL\nours,https://a.example/\n';
  const renames = new Map([['domain', undefined]]);
  expect(domains(await importText(two, { format: 'csv', renames }))).toEqual(['a.example']);
});

test('import reads plain domains in a JSON list without effect on the columns of its records', async () => {
  const list = '["a.example", "1", "x y", {"Website": "b.example", "domain": "c.example"}]';
  expect(domains(await importText(list, { format: 'json' }))).toEqual(['a.example', 'c.example']);
});

test.each<[BulkFormat, string]>([
  ['csv', 'nr,domain\n1\n2,a.example\n'],
  ['ndjson', '{}\n{"domain": "a.example"}\n'],
])('import skips a row of %s without a domain', async (format, list) => {
  const imported = await importText(list, { format });
  expect([domains(imported), imported.skipped.length]).toEqual([['a.example'], 1]);
});

test('importing a table without a domain column is an error', async () => {
  await expect(importText(text, { format: 'csv' })).rejects.toMatchObject({
    code: 'config-invalid',
    problems: [{ place: { file: 'list-1', line: 1 }, message: 'the first line has no column of domains' }],
  });
});

test('import --map with a domain column that does not exist is an error', async () => {
  const renames = new Map([['our_sties', 'domain']]);
  await expect(importText(text, { format: 'csv', renames })).rejects.toMatchObject({
    problems: [{ message: 'the first line has no column "our_sties"' }],
  });
});

test('import adds or skips each line once, and a second import adds nothing', async () => {
  const name = fc.constantFrom('a', 'b', 'www.a', 'www.b', 'B', 'c.a', 'co', 'ü');
  const line = fc
    .tuple(
      fc.constantFrom('', 'https://', '  '),
      name,
      fc.constantFrom('.example', '.uk', '', '.example.', ' x', '/y'),
    )
    .map((parts) => parts.join(''));
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 15 }), async (all) => {
      const imported = await importText(all.join('\n'));
      const told = [
        ...imported.websites.map(({ source }) => source.line),
        ...imported.skipped.map(({ place }) => place.line),
      ];
      const expected = all.flatMap((text, index) => (text.trim() === '' ? [] : [index + 1]));
      expect(told.sort((a, b) => a - b)).toEqual(expected);
      const declared = imported.websites.map(({ domain }) => JSON.stringify(domain));
      const config = await load(`websites: [${declared.join(', ')}]\n`);
      expect((await importText(all.join('\n'), { config })).websites).toEqual([]);
    }),
    { numRuns: 40 },
  );
});
