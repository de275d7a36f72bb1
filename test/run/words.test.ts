import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const COMMENT = /^ *(?:\/\*\*|\*|\/\/).*$/gm;
const TEXT = /'[^'\n]*'|`[^`]*`/g;
const SENTENCE = /[a-z}] [a-z$]/;
const ERROR = /Error\(|recordFailure\(|fault\(|damaged\(|refine\(/;

test('src/run contains no sentences, except those of errors', () => {
  const files = readdirSync('src/run', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const functions = files.flatMap((name) =>
    readFileSync(`src/run/${name}`, 'utf8').replace(COMMENT, '').split(/^}/m),
  );
  const others = functions.filter((code) => !ERROR.test(code));
  expect(others.flatMap((code) => code.match(TEXT) ?? []).filter((text) => SENTENCE.test(text))).toEqual([]);
});
