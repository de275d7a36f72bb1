/** Names to addresses, by DNS alone. */
import { promises } from 'node:dns';
import { setTimeout as wait } from 'node:timers/promises';

/** `missing`: the name does not exist, or has no address. */
export type Resolved =
  | { readonly kind: 'found'; readonly addresses: readonly string[] }
  | { readonly kind: 'missing' | 'failed'; readonly reason: string };

export type Resolve = (name: string) => Promise<Resolved>;

/** For one try, and how many of them. */
const TRIES = { timeout: 2000, tries: 3 };
/** How long addresses of version 6 are waited for once there are others (RFC 8305, section 3), in milliseconds. */
const RESOLUTION_DELAY = 50;
/** How many addresses of a family are tried. */
const MOST_OF_FAMILY = 2;

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name does not exist (NXDOMAIN)',
  ENODATA: 'the name has no address',
  ESERVFAIL: 'the name servers failed (SERVFAIL)',
  ETIMEOUT: 'the resolver did not answer in time',
  ECONNREFUSED: 'the resolver cannot be reached',
  EREFUSED: 'the resolver refused the query',
};

/** Asks the resolvers of the system, or `server` (`ADDRESS:PORT`). Throws where that is no such address. */
export function createResolver(server?: string): Resolve {
  const resolver = new promises.Resolver(TRIES);
  if (server !== undefined) resolver.setServers([server]);
  return async (name) => {
    const six = familyOf(resolver.resolve6(name));
    const four = await familyOf(resolver.resolve4(name));
    const isEnough = four.kind === 'found';
    const others = isEnough ? await Promise.race([six, wait(RESOLUTION_DELAY, four)]) : await six;
    return combined(four, others === four ? undefined : others);
  };
}

type Family = Exclude<Resolved, { kind: 'missing' | 'failed' }> | (Resolved & { readonly code: string });

async function familyOf(query: Promise<string[]>): Promise<Family> {
  try {
    return { kind: 'found', addresses: (await query).slice(0, MOST_OF_FAMILY) };
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const kind = code === 'ENOTFOUND' || code === 'ENODATA' ? 'missing' : 'failed';
    return { kind, code, reason: REASONS[code] ?? `the look-up failed (${code || message})` };
  }
}

/** Version 4 comes first: few machines reach that of version 6 alone. */
function combined(four: Family, six: Family | undefined): Resolved {
  const addresses = [four, six].flatMap((one) => (one?.kind === 'found' ? one.addresses : []));
  if (addresses.length > 0) return { kind: 'found', addresses };
  // A name that does not exist has nothing of any type.
  const failures = [four, six].filter((one) => one !== undefined && one.kind !== 'found') as Extract<
    Resolved,
    { reason: string }
  >[];
  const gone = failures.find(({ reason }) => reason === REASONS.ENOTFOUND);
  return (gone ?? failures.find(({ kind }) => kind === 'failed') ?? failures[0]) as Resolved;
}
