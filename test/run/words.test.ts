import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const COMMENT = /^ *(?:\/\*\*|\*|\/\/).*$/gm;
const TEXT = /'[^'\n]*'|`[^`]*`/g;
const SENTENCE = /[a-z}] [a-z$]\S* \S/;
const ERROR = /Error\(|fileFailed\(|recordFailure\(|fault\(|damaged\(|refine\(/;

test.each(['src/run', 'src/planner'])('%s contains no sentences except in errors', (folder) => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const functions = files.flatMap((name) =>
    readFileSync(`${folder}/${name}`, 'utf8').replace(COMMENT, '').split(/^}/m),
  );
  const others = functions.filter((code) => !ERROR.test(code));
  expect(others.flatMap((code) => code.match(TEXT) ?? []).filter((text) => SENTENCE.test(text))).toEqual([]);
});
