import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WebsitesError } from '../../src/model/errors.ts';
import type { Plan } from '../../src/model/plan.ts';
import type { Result } from '../../src/model/run.ts';
import {
  annotations,
  driftAnnotations,
  errorAnnotations,
  planAnnotations,
  resultAnnotations,
} from '../../src/render/annotations.ts';
import { domainOf, planFor, shown, times, wanted } from '../support/plans.ts';
import { hostileText, plan, place as somePlace } from './arbitrary.ts';
import { manyChanges, THREE } from './situations.ts';

const ofPlan = (value: Plan): string => annotations(planAnnotations(value));
const kindOf = (line: string): string => /^::(\w+) /.exec(line)?.[1] ?? line;

/** The runner's own way to read a command (actions/runner, ActionCommand.TryParseV2). */
function read(line: string) {
  const [, kind, properties = '', data = ''] = /^::(\w+) (.*?)::(.*)$/.exec(line) ?? [];
  const decode = (text: string): string =>
    text
      .replaceAll('%0D', '\r')
      .replaceAll('%0A', '\n')
      .replaceAll('%3A', ':')
      .replaceAll('%2C', ',')
      .replaceAll('%25', '%');
  const pairs = properties.split(',').map((pair) => pair.split(/=(.*)/s).slice(0, 2).map(decode));
  return { kind, message: decode(data), ...(Object.fromEntries(pairs) as Record<string, string>) };
}

describe('annotations of drift', () => {
  it('say what is and what should be, at the lines that declare it', () => {
    expect(annotations(driftAnnotations(THREE, { drift: { withOrphans: false } }))).toMatchInlineSnapshot(`
      "::warning file=websites.yaml,line=14,col=5,title=Drift%3A shop.example.com is missing::It is declared, but not on the service.
      ::warning file=websites.yaml,line=21,col=5,title=Drift%3A blog.example.com is different::privacy is private, should be public%0Aexclude_ips is 192.0.2.1, should be 198.51.100.0/24
      ::warning file=websites.yaml,line=24,col=5,title=Drift%3A old.example.com is extra::It is on the service, but declared absent.
      "
    `);
  });
});

describe('annotations of a plan', () => {
  it('stand at the lines that ask for what is risky', () => {
    expect(ofPlan(THREE)).toMatchInlineSnapshot(`
      "::warning file=websites.yaml,line=24,col=5,title=critical risk%3A record deleted::delete old.example.com%0Aits data on the service will be lost
      ::warning file=websites.yaml,line=21,col=5,title=high risk%3A privacy loosened::update blog.example.com%0Aprivacy: private → public%0Aexclude_ips: - 192.0.2.1, + 198.51.100.0/24
      "
    `);
  });

  it('refuse with the remedy, and sum up what no line says', () => {
    const text = ofPlan(
      planFor({
        desired: { websites: [wanted('keep.example.com')] },
        current: {
          websites: [
            shown('keep.example.com', 1),
            ...times(12, (index) => shown(domainOf(index), index + 2)),
          ],
        },
        options: { prune: true },
      }),
    );
    expect(text).toMatchInlineSnapshot(`
      "::error title=Blocked by a guard (deletes)::The plan deletes 12 of 13 records.%0APass --allow-deletes 12 if this is intended.
      ::warning title=critical risk%3A 12 records that the configuration does not declare::delete site-00000.example.com, site-00001.example.com, site-00002.example.com, site-00003.example.com, site-00004.example.com, site-00005.example.com, site-00006.example.com, site-00007.example.com, site-00008.example.com, site-00009.example.com … and 2 more%0Aits data on the service will be lost
      "
    `);
  });

  it('of an undo say why, and name no file', () => {
    const removed = planFor({
      desired: { websites: [wanted('gone.example.com', {}, 1, { state: 'absent' })] },
      current: { websites: [shown('gone.example.com', 1)] },
    }).changes.map((change) => ({ ...change, cause: 'undo' as const, source: undefined }));
    const changed = planFor({
      desired: { websites: [wanted('back.example.com', { privacy: 0 })] },
      current: { websites: [shown('back.example.com', 2, { privacy: 1 })] },
    });
    const changes = [...changed.changes, ...removed] as Plan['changes'];
    expect(
      ofPlan({ ...changed, changes, options: { ...changed.options, undoes: 'RUN' } }),
    ).toMatchInlineSnapshot(`
      "::warning title=critical risk%3A 1 record that the undone run created::delete gone.example.com%0Aits data on the service will be lost
      ::warning title=high risk%3A privacy loosened::update back.example.com%0Aprivacy: private → public
      "
    `);
  });

  it('are at most ten of a kind, the gravest first, the last one counting the others', () => {
    const large = manyChanges(2_000);
    const lines = ofPlan(large).trimEnd().split('\n');
    for (const kind of ['warning', 'notice']) {
      const some = lines.filter((line) => kindOf(line) === kind);
      expect(some).toHaveLength(10);
      expect(some[9]).toMatch(/ title=… and \d+ more::/);
    }
    const risky = large.changes.filter(({ risk, source }) => source && /critical|high/.test(risk.level));
    // One for all that is pruned.
    expect(lines.find((line) => line.startsWith('::warning title=…'))).toContain(
      `… and ${risky.length + 1 - 9} more`,
    );
    expect(lines.map(kindOf).indexOf('notice')).toBeGreaterThan(lines.map(kindOf).lastIndexOf('warning'));
  });
});

describe('annotations of a result', () => {
  const result: Result = {
    format: 'websites.result/1',
    run: 'r',
    summary: { created: 0, updated: 1, deleted: 0, unchanged: 0, failed: 1, not_attempted: 1 },
    failures: [
      {
        action: 'create',
        domain: 'shop.example.com',
        source: { file: 'websites.yaml', line: 14, column: 5 },
        fate: 'failed',
        code: 'service-refused',
        status: 422,
        message: 'This domain is already being used.',
        remedy: 'Mend it.',
        attempts: 1,
      },
    ],
    not_attempted: [{ action: 'delete', domain: 'old.example.com' }],
    stopped: 'it was interrupted',
    interrupted: true,
    converged: false,
    residual: [
      { action: 'update', domain: 'b.example.com', field: 'email', wanted: true, shown: false, message: 'm' },
    ],
    others: 0,
    notes: [],
    requests: 1,
    seconds: 1,
  };

  it('of an undo name no file', () => {
    expect(annotations(resultAnnotations({ ...result, undoes: 'RUN' }))).not.toContain('file=');
  });

  it('stand at the lines that asked for what failed', () => {
    expect(annotations(resultAnnotations(result), 'infra/sites')).toMatchInlineSnapshot(`
      "::error file=infra/sites/websites.yaml,line=14,col=5,title=Cannot create shop.example.com::failed (422): This domain is already being used.%0AMend it.
      ::error title=Not as it was sent%3A b.example.com::email: sent true, the service shows false
      ::warning title=1 change not attempted::it was interrupted%0AApplied changes are kept. Fix the values that the service rejected, then run "websites apply" again for the rest.
      "
    `);
  });
});

describe('annotations of problems and errors', () => {
  const place = { file: 'websites.yaml', line: 14, column: 14 };

  it('stand at each problem', () => {
    const problems = [
      {
        severity: 'error' as const,
        message: '100% wrong',
        remedy: 'Mend it.',
        place,
        excerpt: { text: 'x', length: 6 },
      },
      { severity: 'warning' as const, message: 'odd' },
    ];
    const expected =
      '::error file=websites.yaml,line=14,col=14,endColumn=20,title=Invalid::100%25 wrong%0AMend it.\n' +
      '::warning title=Doubtful::odd\n';
    expect(annotations(errorAnnotations(new WebsitesError('config-invalid', 'm', { problems })))).toBe(
      expected,
    );
  });

  it('stand at the error itself, or nowhere', () => {
    expect(annotations(errorAnnotations(new WebsitesError('secret-missing', 'No.', { place })))).toBe(
      '::error file=websites.yaml,line=14,col=14,title=websites::No.\n',
    );
    expect(annotations(errorAnnotations(new TypeError('boom')))).toMatch(
      /^::error title=Bug::This is a bug /,
    );
  });

  it('leave absolute paths alone', () => {
    const problems = [{ severity: 'error' as const, message: 'm', place: { ...place, file: '/etc/w.yaml' } }];
    const error = new WebsitesError('config-invalid', 'm', { problems });
    expect(annotations(errorAnnotations(error), 'infra')).toContain('file=/etc/w.yaml,');
  });
});

describe('a command', () => {
  it('is read by the runner as it was meant, and as one', () => {
    fc.assert(
      fc.property(hostileText, hostileText, somePlace, (title, message, place) => {
        const text = annotations([{ kind: 'warning', title, message, place }]);
        expect(text.indexOf('\n')).toBe(text.length - 1);
        const command = read(text.trimEnd());
        expect(Object.keys(command).sort()).toEqual(['col', 'file', 'kind', 'line', 'message', 'title']);
        expect(command).toMatchObject({
          kind: 'warning',
          line: String(place.line),
          col: String(place.column),
        });
      }),
    );
  });

  it('never comes more than ten times of a kind', () => {
    fc.assert(
      fc.property(fc.array(plan, { maxLength: 4 }), (plans) => {
        const lines = annotations(plans.flatMap(planAnnotations)).split('\n').slice(0, -1);
        for (const kind of ['error', 'warning', 'notice']) {
          expect(lines.filter((line) => kindOf(line) === kind).length).toBeLessThanOrEqual(10);
        }
        for (const line of lines) expect(['error', 'warning', 'notice']).toContain(kindOf(line));
      }),
    );
  });
});
