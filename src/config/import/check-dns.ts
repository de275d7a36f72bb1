import { promises as dns } from 'node:dns';
import { isIP } from 'node:net';
import { WebsitesError } from '../../model/errors.ts';
import type { Skipped, Unchecked } from '../../model/import-report.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import { inParallel } from '../../util/parallel.ts';

const MAX_LOOK_UPS = 64;
const TRIES = { timeout: 2000, tries: 2 };

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name does not exist (NXDOMAIN)',
  ENODATA: 'the name has no address',
  ESERVFAIL: 'the name servers failed (SERVFAIL)',
  ETIMEOUT: 'the resolver did not respond in time',
  ECONNREFUSED: 'the resolver cannot be reached',
  EREFUSED: 'the resolver refused the query',
};

const NO_ADDRESS = ['ENOTFOUND', 'ENODATA'];

/**
 * Queries domains at the resolvers of the system, or at `server` (`ADDRESS:PORT`). Throws `usage`, and
 * `resolver-failed` if more than half of the domains have no address.
 */
export async function checkDns(websites: readonly DesiredWebsite[], server: string | undefined) {
  const resolver = resolverFor(server);
  const failures = new Map<DesiredWebsite, string>();
  await inParallel(websites, MAX_LOOK_UPS, async (website) => {
    const code = await failureOf(resolver, website.domain);
    if (code !== undefined) failures.set(website, code);
  });

  const kept: DesiredWebsite[] = [];
  const missing: Skipped[] = [];
  const notChecked: Unchecked[] = [];
  for (const website of websites) {
    const code = failures.get(website);
    const isMissing = code !== undefined && NO_ADDRESS.includes(code);
    if (!isMissing) kept.push(website);
    if (code === undefined) continue;
    const message = REASONS[code] ?? `the look-up failed (${code})`;
    const failure = { place: website.source, subject: website.domain, message };
    if (isMissing) missing.push({ ...failure, reason: 'no_dns' });
    else notChecked.push(failure);
  }
  if (missing.length * 2 > websites.length) {
    const message = `More than half of the domains have no address in DNS: ${missing.length} of ${websites.length}.`;
    const remedy = 'Check the DNS resolver, or pass a different resolver with --dns.';
    throw new WebsitesError('resolver-failed', `${message} Nothing was imported.`, { remedy });
  }
  return { websites: kept, missing, notChecked };
}

function resolverFor(server: string | undefined): dns.Resolver {
  const resolver = new dns.Resolver(TRIES);
  if (server === undefined) return resolver;
  try {
    // Checked here, because Node crashes for port 0.
    if (isIP(server) === 0 && new URL(`dns://${server}`).port === '0') throw new Error('port 0');
    resolver.setServers([server]);
  } catch {
    throw new WebsitesError('usage', `Invalid value ${JSON.stringify(server)} for --dns (WEBSITES_DNS).`, {
      remedy: 'Write an IP address and a port, such as 127.0.0.1:53 or [::1]:53.',
    });
  }
  return resolver;
}

async function failureOf(resolver: dns.Resolver, domain: string): Promise<string | undefined> {
  const query = resolver.resolve4(domain).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENODATA') throw error;
    // A name without an IPv4 address may have an IPv6 address.
    return resolver.resolve6(domain);
  });
  return query.then(
    () => undefined,
    ({ code = 'unknown' }: NodeJS.ErrnoException) => code,
  );
}
