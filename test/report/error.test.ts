import { stripVTControlCharacters as unpainted } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { WebsitesError } from '../../src/model/errors.ts';
import { ServiceError } from '../../src/model/service.ts';
import { error } from './arbitrary.ts';
import { errorHuman, errorJson, errorLine } from './render.ts';

const place = { file: 'websites.yaml', line: 14, column: 9 };
const invalid = new WebsitesError('plan-impossible', 'One record cannot be planned.', {
  remedy: 'Mend it.',
  place,
  problems: [{ severity: 'error', message: 'it lacks its password', place }],
});
const render = (error: unknown): string => errorHuman(error, { color: false, width: 80 });

it('errorHuman suggests to run the command again after an interruption', () => {
  expect(render(new WebsitesError('interrupted', 'Interrupted.'))).toContain(
    '\n  help: Run the command again.\n',
  );
});

it('errorHuman wraps messages at spaces on a terminal, with or without color', () => {
  const long = new WebsitesError('usage', 'some words of it '.repeat(6).trim(), {
    remedy: 'more of the words '.repeat(6).trim(),
  });
  const onTerminal = errorHuman(long, { color: false, width: 100, fold: 40 });
  for (const line of onTerminal.trimEnd().split('\n')) expect(line).toMatch(/^.{1,40}$/);
  expect(onTerminal).toMatch(/\n {2}\w/);
  expect(onTerminal.replaceAll(/\s+/g, ' ')).toBe(render(long).replaceAll(/\s+/g, ' '));
  expect(unpainted(errorHuman(long, { color: true, width: 100, fold: 40 }))).toBe(onTerminal);
  expect(render(long)).toMatch(/^.{90,}\n.{90,}\n.*\n$/);
});

it('errorHuman shows the stack and causes of an unexpected error, without its properties', () => {
  const inner = Object.assign(new Error('socket hang up'), {
    headers: { authorization: 'Bearer marked-key' },
  });
  const text = render(new TypeError('boom', { cause: inner }));
  expect(text).toMatch(
    /^Error: This is a bug in websites-as-code, not a mistake in your input\.\n {2}TypeError: boom\n {4}at /,
  );
  expect(text).toMatch(/\n {2}caused by Error: socket hang up\n {4}at .*error\.test\.ts/);
  expect(text).toMatch(/\n {2}help: Please report it .*\n {2}more: websites explain bug\n$/);
  expect(text).not.toContain('marked-key');
});

it('errorHuman prints five causes of an error that is its own cause', () => {
  const error = new Error('round');
  error.cause = error;
  expect(render(error).match(/caused by/g)).toHaveLength(5);
});

it.each([
  [{ key: 'marked-key' }, 'a thrown object'],
  ['text', 'a thrown string'],
])('errorHuman describes the thrown value %j', (thrown, expected) => {
  expect(render(thrown)).toContain(`\n  ${expected}\n`);
});

it('errorJson prints every member, with null for missing values', () => {
  expect(JSON.parse(errorJson(invalid))).toEqual({
    format: 'websites.error/1',
    code: 'plan-impossible',
    message: 'One record cannot be planned.',
    remedy: 'Mend it.',
    place,
    problems: [{ severity: 'error', message: 'it lacks its password', place }],
    docs: 'docs/errors.md#plan-impossible',
  });
  const refused = new ServiceError('key-refused', 'No.', {
    outcome: 'refused',
    blame: 'service',
    attempts: 1,
  });
  expect(JSON.parse(errorJson(refused))).toEqual({
    format: 'websites.error/1',
    code: 'key-refused',
    message: 'No.',
    remedy: null,
    place: null,
    problems: [],
    docs: 'docs/errors.md#key-refused',
  });
});

it('errorLine prints any thrown value as one line of an event stream', () => {
  fc.assert(
    fc.property(error, (thrown) => {
      const line = errorLine(thrown);
      expect(line.indexOf('\n')).toBe(line.length - 1);
      expect(JSON.parse(line)).toEqual({
        type: 'diagnostic',
        severity: 'error',
        ...JSON.parse(errorJson(thrown)),
      });
    }),
  );
});
