export interface FileWebsite {
  readonly domain: string;
  readonly [field: string]: unknown;
}

const WORDS = ['shop', 'blog', 'docs', 'status', 'news', 'careers', 'support', 'events', 'media', 'store'];
const ENDINGS = ['example.com', 'example.org', 'example.net', 'bücher.example', 'co.example'];

/** Returns the same `count` websites each time: some with lists, some with a password, some favorites. */
export function realisticWebsites(count: number): FileWebsite[] {
  return Array.from({ length: count }, (_, index) => ({
    domain: `${WORDS[index % 10]}-${index}.${ENDINGS[index % 5]}`,
    ...(index % 3 === 0 ? { email: true } : {}),
    ...(index % 10 === 0
      ? { exclude_params: ['utm_source', `ref_${index}`], exclude_ips: [`192.0.2.${index % 250}`] }
      : {}),
    ...(index % 20 === 1 ? { privacy: 'password', password: { env: 'SITE_PASSWORD' } } : {}),
    ...(index % 25 === 2 ? { favorited_at: '2026-01-31T09:00:00' } : {}),
  }));
}

/** A file that declares `websites`; JSON is YAML too. */
export function websitesFile(websites: readonly FileWebsite[]): string {
  return [
    'version: 1',
    'defaults: { privacy: private }',
    'websites:',
    ...websites.map((website) => `  - ${JSON.stringify(website)}`),
    '',
  ].join('\n');
}
