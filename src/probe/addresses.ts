/**
 * Which IP addresses a probe may connect to (decision: "A probe reaches public addresses only"): global unicast ones, by
 * the registries of IANA for special-purpose addresses.
 */
import { canonicalAddress } from '../model/ip-address.ts';

/** Not public, with what they are for. */
const CLOSED_V4 = {
  '0.0.0.0/8': 'this network',
  '10.0.0.0/8': 'private',
  '100.64.0.0/10': 'shared by customers of a provider',
  '127.0.0.0/8': 'loopback',
  // It is public by the registry, and yet of the virtual machine's own host.
  '168.63.129.16/32': 'the platform of Azure',
  '169.254.0.0/16': 'link-local, and metadata of cloud machines',
  '172.16.0.0/12': 'private',
  '192.0.0.0/24': 'protocol assignments',
  '192.0.2.0/24': 'documentation',
  '192.88.99.0/24': 'relays of 6to4',
  '192.168.0.0/16': 'private',
  '198.18.0.0/15': 'benchmarks',
  '198.51.100.0/24': 'documentation',
  '203.0.113.0/24': 'documentation',
  '224.0.0.0/4': 'multicast',
  '240.0.0.0/4': 'reserved, and broadcast',
};

/** Everything outside of it is closed: loopback, unique local, link-local, multicast, unassigned. */
const GLOBAL_V6 = '2000::/3';

const CLOSED_V6 = {
  '2001::/23': 'protocol assignments, Teredo among them',
  '2001:db8::/32': 'documentation',
  '3fff::/20': 'documentation',
};

/** They hold an IPv4 address, from that bit on, which decides. */
const EMBEDDING_V6 = { '::ffff:0:0/96': 96, '64:ff9b::/96': 96, '2002::/16': 16 };

interface Network {
  readonly start: bigint;
  /** How many bits are not of the network. */
  readonly rest: bigint;
}

const closedV4 = Object.keys(CLOSED_V4).map((text) => networkOf(text, 32));
const closedV6 = Object.keys(CLOSED_V6).map((text) => networkOf(text, 128));
const globalV6 = networkOf(GLOBAL_V6, 128);
const embeddingV6 = Object.entries(EMBEDDING_V6).map(([text, from]) => ({
  network: networkOf(text, 128),
  shift: BigInt(128 - 32 - from),
}));

/** Whether `text` is the address of a host on the public internet; what is no IPv4 or IPv6 address is not. */
export function isGlobalUnicast(text: string): boolean {
  const address = text.includes('/') ? undefined : canonicalAddress(text);
  if (address === undefined) return false;
  return address.includes(':') ? isGlobalV6(numberOfV6(address)) : isGlobalV4(numberOfV4(address));
}

function isGlobalV4(address: bigint): boolean {
  return !closedV4.some((network) => isIn(network, address));
}

function isGlobalV6(address: bigint): boolean {
  const embedding = embeddingV6.find(({ network }) => isIn(network, address));
  if (embedding !== undefined) return isGlobalV4((address >> embedding.shift) & 0xffff_ffffn);
  return isIn(globalV6, address) && !closedV6.some((network) => isIn(network, address));
}

function isIn({ start, rest }: Network, address: bigint): boolean {
  return address >> rest === start >> rest;
}

function networkOf(text: string, width: number): Network {
  const [address = '', bits] = text.split('/');
  const start = width === 32 ? numberOfV4(address) : numberOfV6(canonicalAddress(address) ?? '');
  return { start, rest: BigInt(width - Number(bits)) };
}

function numberOfV4(address: string): bigint {
  return address.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

/** Of the canonical form, which has no dots. */
function numberOfV6(address: string): bigint {
  const [head = [], tail] = address.split('::').map((half) => half.split(':').filter(Boolean));
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length;
  const groups = [...head, ...Array<string>(zeros).fill('0'), ...(tail ?? [])];
  return groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}
