/**
 * Measures src and the tests against the limits in layers.ts. Tokens are those of esbuild's output without types,
 * comments and white space; lines of code are neither blank nor comments.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { BUDGET, LAYERS } from './layers.ts';

const TOKEN = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[\p{L}_$][\p{L}\p{N}_$]*|\d[\w.]*|[^\s]/gu;
const COMMENT = /^\s*(\/\/|\/?\*)/;

interface Size {
  readonly lines: number;
  readonly code: number;
  readonly comments: number;
  readonly tokens: number;
  readonly files: number;
}

function sizeOf(files: readonly string[]): Size {
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  const lines = texts.flatMap((text) => text.split('\n').slice(0, -1));
  return {
    lines: lines.length,
    code: lines.filter((line) => line.trim() !== '' && !COMMENT.test(line)).length,
    comments: lines.filter((line) => COMMENT.test(line)).length,
    tokens: texts.reduce((sum, text) => sum + tokensOf(text), 0),
    files: files.length,
  };
}

function tokensOf(source: string): number {
  const { code } = transformSync(source, { loader: 'ts', minifyWhitespace: true });
  return code.match(TOKEN)?.length ?? 0;
}

function filesBelow(folder: string, pattern: RegExp): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

const problems: string[] = [];
function show(name: string, size: Partial<Size>, limits: Partial<Size>): void {
  const parts = Object.entries(size).map(([key, value]) => {
    const limit = limits[key as keyof Size];
    if (limit !== undefined && value > limit)
      problems.push(`${name} has ${value} ${key}, ${limit} are allowed.`);
    return `${String(value).padStart(7)} ${key}`;
  });
  console.log(`${name.padEnd(10)} ${parts.join(' ')}`);
}

for (const folder of readdirSync('src')) {
  const layer = LAYERS[folder];
  if (!layer) problems.push(`src/${folder} is not in scripts/layers.ts.`);
  show(folder, sizeOf(filesBelow(join('src', folder), /\.ts$/)), layer ? { lines: layer.maxLines } : {});
}
const { testLines, ...limits } = BUDGET;
show('src', sizeOf(filesBelow('src', /\.ts$/)), limits);
const tests = filesBelow('test', /\.(ts|mjs)$/).map((file) => readFileSync(file, 'utf8'));
const lines = tests.reduce((sum, text) => sum + text.split('\n').length - 1, 0);
show('test', { lines, files: tests.length }, { lines: testLines });
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
