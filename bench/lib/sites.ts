/** The websites that a probe is measured with, in a process of its own that ends with this one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

export const siteName = (index: number): string => `n${index}.example`;

/** Starts them; gives the address of the DNS server that leads to them. */
export async function startSites(program: string): Promise<string> {
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])) as [Buffer | number];
  if (typeof line === 'number')
    throw new Error('The websites need port 80 of 127.77.0.1 and on: run as root.');
  child.unref();
  for (const stream of [child.stdin, child.stdout]) (stream as unknown as { unref(): void }).unref();
  return line.toString().trim();
}
