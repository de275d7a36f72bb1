/** Invariants of every renderer, for any text of a file or a service. */
import fc, { type Arbitrary } from 'fast-check';
import { expect, it } from 'vitest';
import { errorDocument } from '../../src/report/errors.ts';
import { eventHuman, planEvents } from '../../src/report/events.ts';
import { type FormatOptions, PLAN_FORMATS, RESULT_FORMATS } from '../../src/report/formats.ts';
import { jsonLine } from '../../src/report/json.ts';
import { htmlText } from '../../src/report/media/html.ts';
import { sha256 } from '../../src/util/node/sha256.ts';
import { error, event, plan, problem, result, UNSAFE } from './arbitrary.ts';
import { foreignMarkup } from './outside-code.ts';
import { errorHuman, errorJson, errorLine, errorMarkdown, warningsHuman, whole } from './render.ts';

interface Case<T> {
  readonly values: Arbitrary<T>;
  readonly render: (value: T, options: FormatOptions) => string | Promise<string>;
}

/** Hides the type of the values. */
const invariant = <T>(values: Arbitrary<T>, render: Case<T>['render']): Case<never> =>
  ({ values, render }) as unknown as Case<never>;

const problems = fc.array(problem);

const CASES: Record<string, Case<never>> = {
  'a plan as text': invariant(plan, whole(PLAN_FORMATS.human)),
  'a plan as JSON': invariant(plan, whole(PLAN_FORMATS.json)),
  'a plan as Markdown': invariant(plan, whole(PLAN_FORMATS.markdown)),
  'a plan as a diff': invariant(plan, whole(PLAN_FORMATS.diff)),
  'a plan as HTML': invariant(plan, whole(PLAN_FORMATS.html)),
  'a plan for GitLab': invariant(plan, whole(PLAN_FORMATS.gitlab)),
  'a plan as events': invariant(plan, planEvents),
  'a result as text': invariant(result, whole(RESULT_FORMATS.human)),
  'a result as JSON': invariant(result, whole(RESULT_FORMATS.json)),
  'a result as Markdown': invariant(result, whole(RESULT_FORMATS.markdown)),
  'a result as HTML': invariant(result, whole(RESULT_FORMATS.html)),
  'an error as text': invariant(error, errorHuman),
  'an error as HTML': invariant(error, (value, { digest }) => htmlText(errorDocument(value), digest)),
  'an error as JSON': invariant(error, (value) => errorJson(value)),
  'an error as Markdown': invariant(error, errorMarkdown),
  'an error as an event': invariant(error, (value) => errorLine(value)),
  'problems as text': invariant(problems, warningsHuman),
  'an event as text': invariant(event, (value, options) => eventHuman(value, options) ?? ''),
  'an event as NDJSON': invariant(event, (value) => {
    expect(JSON.parse(jsonLine(value))).toEqual(value);
    return jsonLine(value);
  }),
};

const width = fc.constantFrom(20, 80, 120, Number.POSITIVE_INFINITY);

// biome-ignore lint/suspicious/noControlCharactersInRegex: our own colours are the only ones allowed
const COLOUR = /\x1b\[(?:0|1|2|31|32|33)m/g;

/** Checks all invariants together, because making the values takes most of the time. */
it.each(Object.entries(CASES))('hostile values in %s are escaped', async (name, { values, render }) => {
  await fc.assert(
    fc.asyncProperty(
      values,
      width,
      fc.integer({ min: 4_000, max: 30_000 }),
      async (value, columns, limit) => {
        const options = { color: false, width: columns, digest: sha256, limit };
        const text = await render(value, options);
        expect(text).toMatch(/^$|[^\n]\n$/);
        expect(text.replaceAll('\n', '')).not.toMatch(UNSAFE);
        expect(text).not.toMatch(/##\w*\[/);
        expect(text).not.toMatch(/^\s*::/m);
        if (name.endsWith('as Markdown')) {
          expect(text.length).toBeLessThanOrEqual(limit);
          expect(foreignMarkup(text)).toEqual([]);
        }
        const coloured = await render(value, { ...options, color: true });
        expect(coloured.replace(COLOUR, '')).toBe(text);
      },
    ),
    { numRuns: 50 },
  );
});
