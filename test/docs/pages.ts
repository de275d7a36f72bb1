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

/** Blocks of lists are indented as their items are. */
export function blocksOf(page: string): Block[] {
  const fenced = /^( *)```(\w+)(?: (\S+))?\n([\s\S]*?)^\1```$/gm;
  return Array.from(page.matchAll(fenced), ([, indent = '', language = '', name, body = '']) => {
    return { language, name, body: body.replaceAll(new RegExp(`^${indent}`, 'gm'), '') };
  });
}

/** The page without its fenced blocks. */
export function proseOf(page: string): string {
  return page.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '');
}
