import { expect, test } from 'vitest';
import { createSource } from '../../../../src/config/read/source.ts';
import { readRegular } from '../../../../src/config/yaml/fast/read.ts';
import { parseYaml } from '../../../../src/config/yaml/syntax.ts';

const nested = (depth: number): string =>
  depth === 0
    ? '- a.example\n'
    : `- group: g${depth}\n  websites:\n${nested(depth - 1)
        .replaceAll(/^/gm, '    ')
        .trimEnd()}\n`;

test.each([
  [
    'groups with records, tables and groups in them',
    `websites:
  - from: a.csv
  - group: a
    defaults: { email: true }
    websites:
      - a.example
      - domain: b.example
        email: false
      - { from: b.csv }
      - group: b
        websites: [c.example]
  - group: c
    websites:
      - domain: d.example
        email: false
`,
  ],
  ['groups 8 deep', `websites:\n${nested(8)}`],
])('the fast YAML reader gives the same value as the full parser: %s', (_, text) => {
  const regular = readRegular(createSource('websites.yaml', text));
  expect(regular).toMatchObject({ value: parseYaml(createSource('websites.yaml', text)).document?.value });
});
