/** The README and the pages of docs/, and what stands in them. */
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

/** Every page, by its path in the repository. */
export const PAGES: readonly string[] = [
  'README.md',
  ...readdirSync(resolve(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

export function read(file: string): string {
  return readFileSync(resolve(ROOT, file), 'utf8');
}

/** A fenced block: its language, the word behind that, and its lines. */
export interface Block {
  readonly language: string;
  readonly name: string | undefined;
  readonly body: string;
}

export function blocksOf(page: string): Block[] {
  return Array.from(page.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm), (match) => {
    const [, language = '', name, body = ''] = match;
    return { language, name, body };
  });
}

/** The page without its fenced blocks. */
export function proseOf(page: string): string {
  return page.replaceAll(/^```[\s\S]*?^```$/gm, '');
}
