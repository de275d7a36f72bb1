import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

/** Paths of the user pages in the repository. */
export const PAGES: readonly string[] = [
  'README.md',
  ...readdirSync(resolve(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

export function read(file: string): string {
  return readFileSync(resolve(ROOT, file), 'utf8');
}

/** The word after the language is the name. */
export interface Block {
  readonly language: string;
  readonly name: string | undefined;
  readonly body: string;
}

/** A block in a list has the indentation of its item. */
export function blocksOf(page: string): Block[] {
  const fenced = /^( *)```(\w+)(?: (\S+))?\n([\s\S]*?)^\1```$/gm;
  return Array.from(page.matchAll(fenced), ([, indent = '', language = '', name, body = '']) => {
    return { language, name, body: body.replaceAll(new RegExp(`^${indent}`, 'gm'), '') };
  });
}

export function proseOf(page: string): string {
  return page.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '');
}
