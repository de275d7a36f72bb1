/** Probes the websites of a command; loaded by those alone that do so. */
import { isIP } from 'node:net';
import { WebsitesError } from '../../model/errors.ts';
import { countVerdicts, type Finding, isResolverAtFault, type Probed } from '../../model/probe-report.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import { isGlobalUnicast } from '../../probe/addresses.ts';
import { createProbe } from '../../probe/node/probe.ts';
import { createResolver, type Resolve } from '../../probe/node/resolver.ts';
import { parseAddress } from '../../reconcile/endpoints.ts';
import { count } from '../../render/text.ts';
import { PROBE_CONCURRENCY, PROBE_TIMEOUT_MS, VERSION } from '../../sync/defaults.ts';
import { type FlagValues, unfit } from '../argv/flags.ts';
import type { PROBE_FLAGS } from '../argv/shared-flags.ts';
import type { Io } from '../io/io.ts';
import { milliseconds } from '../session/settings.ts';

type ProbeFlags = FlagValues<typeof PROBE_FLAGS> & {
  readonly 'look-for'?: string | undefined;
  readonly concurrency?: number | undefined;
  readonly timeout?: number | undefined;
};

/** How often a line says how far it has come, in milliseconds. */
const TELL_EVERY = 10_000;

/** What is found of each of `websites`, in their order; `onResult` is called as soon as one is known. */
export async function probeWebsites(
  websites: readonly DesiredWebsite[],
  flags: ProbeFlags,
  io: Io,
  onResult: (result: Probed) => void = () => undefined,
): Promise<readonly Probed[]> {
  const probe = createProbe({
    resolve: resolverOf(flags.dns),
    mayConnect: flags['allow-private'] ? () => true : isGlobalUnicast,
    ports: { https: 443, http: 80 },
    lookFor: flags['look-for'],
    concurrency: flags.concurrency ?? PROBE_CONCURRENCY,
    timeoutMs: milliseconds(flags.timeout) ?? PROBE_TIMEOUT_MS,
    userAgent: `websites-as-code/${VERSION} (websites probe)`,
    environment: io.env,
  });
  const byDomain = new Map(websites.map(({ domain, source }) => [domain, source]));
  const found = new Map<string, Finding>();
  // What hinders a connection is an answer here: the stack of each such error would take a tenth of the time.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const telling = setInterval(() => {
    io.err(`Probed ${found.size} of ${count(byDomain.size, 'website')}.\n`);
  }, TELL_EVERY);
  try {
    await probe(byDomain.keys(), (domain, finding) => {
      found.set(domain, finding);
      const source = byDomain.get(domain);
      if (source !== undefined) onResult({ domain, source, ...finding });
    });
  } finally {
    clearInterval(telling);
    Error.stackTraceLimit = stackTraceLimit;
  }
  return websites.flatMap(({ domain, source }) => {
    const finding = found.get(domain);
    return finding === undefined ? [] : [{ domain, source, ...finding }];
  });
}

function resolverOf(dns: string | undefined): Resolve {
  if (dns === undefined || isIP(dns) !== 0) return createResolver(dns);
  const { host = '', port = 0 } = parseAddress(dns) ?? {};
  // Node aborts the process for port 0.
  if (isIP(host) !== 0 && port > 0) return createResolver(dns);
  throw unfit('--dns', dns, 'Write an IP address and a port, such as 127.0.0.1:53 or [::1]:53.');
}

/** Throws `resolver-failed` where most domains have no address: nothing is to be concluded from that. */
export function refuseBadResolver(results: readonly Probed[]): void {
  if (!isResolverAtFault(results)) return;
  const missing = countVerdicts(results)['no-dns'];
  throw new WebsitesError(
    'resolver-failed',
    `More than half of the domains have no address in DNS: ${missing} of ${results.length}. Nothing was imported.`,
    {
      remedy: 'Check the resolver, or pass another one with --dns. "websites probe LIST" shows each domain.',
    },
  );
}
