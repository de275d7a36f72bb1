import { beforeEach, describe, expect, it } from 'vitest';
import type { ExecutionContext } from '../../../src/apply/changes/context.ts';
import { type CreateAttempt, doubtfulCreate, stepCreate } from '../../../src/apply/changes/create.ts';
import type { ChangeOutcome } from '../../../src/apply/changes/outcome.ts';
import type { Create } from '../../../src/model/change.ts';
import type { DesiredWebsite, WwwRule } from '../../../src/model/website.ts';
import { carrying } from '../../support/applying.ts';
import { createFakeClock, type FakeClock } from '../../support/clock.ts';
import {
  createFakeService,
  type FakeFault,
  type FakeOptions,
  type FakeService,
  type Stored,
} from '../../support/fake-service.ts';
import { planFor, wanted } from '../../support/plans.ts';

const DOMAIN = 'new.example.com';
const REQUEST_TIMEOUT = 30_000;

let clock: FakeClock;
let startedAt: number;
beforeEach(() => {
  clock = createFakeClock();
  startedAt = clock.monotonic();
});

function createOf(domain = DOMAIN, settings: DesiredWebsite['settings'] = { privacy: 0 }): Create {
  const [change] = planFor({ desired: { websites: [wanted(domain, settings)] } }).changes;
  return change as Create;
}

const contextFor = (service: FakeService, more: Parameters<typeof carrying>[2] = {}): ExecutionContext =>
  carrying(service, clock, more);

/** Takes steps, each when its time has come, until the create has ended. */
async function carryThrough(attempt: CreateAttempt, context: ExecutionContext): Promise<ChangeOutcome> {
  for (;;) {
    const step = await stepCreate(attempt, context, false);
    if (step.fate !== 'aside') return step;
    await clock.sleep(step.until - clock.monotonic());
  }
}

/** A service whose POSTs meet with these faults, one after the other, and then with none. */
function faulty(faults: readonly (FakeFault | undefined)[], options: Partial<FakeOptions> = {}): FakeService {
  return createFakeService({
    clock,
    script: ({ operation, nth }) => (operation === 'create' ? faults[nth] : undefined),
    ...options,
  });
}

/** The service, with answers to look-ups that are so old when they come. */
function lookingSlowly(service: FakeService, ms: number): FakeService {
  return {
    ...service,
    async find(domain) {
      const found = await service.find(domain);
      await clock.sleep(ms);
      return found;
    },
  };
}

/** What was called, with the seconds since the beginning. */
const story = (service: FakeService): string[] =>
  service.calls.map(({ operation, at }) => `${operation} ${(at - startedAt) / 1000}`);

const ENDED = { kind: 'fail', outcome: 'ended', status: 500 } as const;
const BROKEN = { kind: 'fail', outcome: 'unknown' } as const;
const HUNG = { ...BROKEN, takesMs: REQUEST_TIMEOUT } as const;

describe('a create', () => {
  const cases: readonly [
    name: string,
    faults: readonly (FakeFault | undefined)[],
    fate: ChangeOutcome['fate'],
    story: readonly string[],
  ][] = [
    ['that is answered well is sent once', [], 'done', ['create 0']],
    ['that is refused is not sent again', [{ kind: 'refuse' }], 'failed', ['create 0']],
    [
      'whose followed by 500 was carried out is found at once',
      [{ ...ENDED, carriedOut: 'before' }],
      'done',
      ['create 0', 'find 0'],
    ],
    [
      'whose 500 came without it is sent again, after another look',
      [{ ...ENDED, carriedOut: 'never' }],
      'done',
      ['create 0', 'find 0', 'find 0.5', 'create 0.5'],
    ],
    [
      'whose connection broke after it was carried out is found at once',
      [{ ...BROKEN, carriedOut: 'before' }],
      'done',
      ['create 0', 'find 0'],
    ],
    [
      'whose connection broke is not sent again before the time of the first has passed',
      [{ ...BROKEN, carriedOut: 'never' }],
      'done',
      ['create 0', 'find 0', 'find 1', 'find 5', 'find 21', 'find 30', 'create 30'],
    ],
    [
      'that is carried out after its connection broke is found meanwhile',
      [{ ...BROKEN, carriedOut: { afterMs: 4000 } }],
      'done',
      ['create 0', 'find 0', 'find 1', 'find 5'],
    ],
    [
      'that is carried out in the last moment is not doubled',
      [{ ...BROKEN, carriedOut: { afterMs: 29_999 } }],
      'done',
      ['create 0', 'find 0', 'find 1', 'find 5', 'find 21', 'find 30'],
    ],
    [
      'that ran out of its time may be sent again when it has',
      [{ ...HUNG, carriedOut: 'never' }],
      'done',
      ['create 0', 'find 30', 'find 30.5', 'create 30.5'],
    ],
    [
      'waits anew after each one that breaks',
      [
        { ...BROKEN, carriedOut: 'never' },
        { ...BROKEN, carriedOut: { afterMs: 2000 } },
      ],
      'done',
      [
        'create 0',
        'find 0',
        'find 1',
        'find 5',
        'find 21',
        'find 30',
        'create 30',
        'find 30',
        'find 31',
        'find 35',
      ],
    ],
    [
      'is refused for good also when one before it was in doubt',
      [
        { ...ENDED, carriedOut: 'never' },
        { kind: 'refuse', fields: { privacy: ['No.'] } },
      ],
      'failed',
      ['create 0', 'find 0', 'find 0.5', 'create 0.5'],
    ],
    [
      'that was not sent because the run was interrupted is withdrawn',
      [{ kind: 'interrupted' }],
      'withdrawn',
      ['create 0'],
    ],
    [
      'whose first was in doubt stays so when the run is interrupted',
      [{ ...ENDED, carriedOut: 'never' }, { kind: 'interrupted' }],
      'unknown',
      ['create 0', 'find 0', 'find 0.5', 'create 0.5'],
    ],
  ];

  it.each(cases)('%s', async (_, faults, fate, expected) => {
    const service = faulty(faults);
    const verdict = await carryThrough({ change: createOf(), posts: 0 }, contextFor(service));
    expect(story(service)).toEqual(expected);
    expect(verdict.fate).toBe(fate);
    expect(service.records()).toHaveLength(fate === 'done' ? 1 : 0);
  });

  it.each([3_600_000, -3_600_000])('waits as long where somebody sets the clock by %i ms', async (byMs) => {
    const service = faulty([{ ...BROKEN, carriedOut: { afterMs: 20_000 } }]);
    const { script } = service;
    service.script = (call) => {
      if (call.operation === 'find' && call.nth === 0) clock.set(byMs);
      return script?.(call);
    };
    const verdict = await carryThrough({ change: createOf(), posts: 0 }, contextFor(service));
    expect(story(service)).toEqual(['create 0', 'find 0', 'find 1', 'find 5', 'find 21']);
    expect(verdict.fate).toBe('done');
    expect(service.records()).toHaveLength(1);
  });

  it('is sent five times at most; known not to be there then, it has failed', async () => {
    const service = faulty(Array(9).fill({ ...ENDED, carriedOut: 'never' }));
    const verdict = await carryThrough({ change: createOf(), posts: 0 }, contextFor(service));
    expect(verdict).toMatchObject({ fate: 'failed', error: { status: 500, attempts: 5 } });
    expect(service.calls.filter(({ operation }) => operation === 'create')).toHaveLength(5);
  });

  it('ends within its time, and is then unknown', async () => {
    const service = faulty([{ ...BROKEN, carriedOut: { afterMs: 25_000 } }]);
    const context = contextFor(service, { timeoutMs: 10_000 });
    const verdict = await carryThrough({ change: createOf(), posts: 0 }, context);
    expect(verdict.fate).toBe('unknown');
    expect(story(service)).toEqual(['create 0', 'find 0', 'find 1', 'find 5']);
  });

  it('is not sent again once what was sent took all of its time', async () => {
    const service = faulty(Array(9).fill({ ...HUNG, carriedOut: 'never' }));
    const context = contextFor(service, { timeoutMs: 2 * REQUEST_TIMEOUT, random: () => 0 });
    const verdict = await carryThrough({ change: createOf(), posts: 0 }, context);
    expect(verdict).toMatchObject({ fate: 'failed', error: { attempts: 2 } });
    expect(story(service)).toEqual(['create 0', 'find 30', 'create 30', 'find 60']);
  });
});

describe('a look-up after a create in doubt', () => {
  it('that fails licenses nothing: nothing is sent before one succeeds', async () => {
    const service = faulty([{ ...ENDED, carriedOut: 'before' }]);
    const { script } = service;
    service.script = (call) =>
      call.operation === 'find' && call.nth < 3 ? { ...ENDED, carriedOut: 'never' } : script?.(call);
    const verdict = await carryThrough({ change: createOf(), posts: 0 }, contextFor(service));
    expect(verdict.fate).toBe('done');
    expect(story(service)).toEqual(['create 0', 'find 0', 'find 0.5', 'find 4.5', 'find 20.5']);
  });

  it('that began before the time of the first had passed licenses nothing, however late it ends', async () => {
    const service = faulty([{ ...BROKEN, carriedOut: { afterMs: 29_000 } }], { unique: false });
    const slow = lookingSlowly(service, 20_000);
    const verdict = await carryThrough({ change: createOf(), posts: 0 }, contextFor(slow));
    expect(verdict).toMatchObject({ fate: 'done', id: '1' });
    expect(story(service)).toEqual(['create 0', 'find 0', 'find 21', 'find 41']);
  });

  it('that began before then does not tell either that it has failed', async () => {
    const service = faulty([{ ...BROKEN, carriedOut: { afterMs: 29_000 } }]);
    const attempt: CreateAttempt = { change: createOf(), posts: 0 };
    const slow = lookingSlowly(service, 40_000);
    await stepCreate(attempt, contextFor(slow), false);
    expect(await stepCreate(attempt, contextFor(slow), true)).toMatchObject({ fate: 'unknown' });
  });

  it('that fails for ever leaves it unknown, in time', async () => {
    const service = faulty([{ ...ENDED, carriedOut: 'never' }]);
    const { script } = service;
    service.script = (call) =>
      call.operation === 'find' ? { ...BROKEN, carriedOut: 'never' } : script?.(call);
    const verdict = await carryThrough({ change: createOf(), posts: 0 }, contextFor(service));
    expect(verdict).toMatchObject({ fate: 'unknown', error: { status: 500 } });
    expect(service.calls.filter(({ operation }) => operation === 'create')).toHaveLength(1);
    expect(clock.monotonic() - startedAt).toBeLessThanOrEqual(120_000);
  });

  it('that shows nothing licenses nothing', async () => {
    const service = faulty([{ ...ENDED, carriedOut: 'never' }], { proven: false });
    const verdict = await carryThrough({ change: createOf(), posts: 0 }, contextFor(service));
    expect(verdict).toMatchObject({ fate: 'unknown', error: { code: 'service-failed', status: 500 } });
    expect(service.calls.filter(({ operation }) => operation === 'create')).toHaveLength(1);
  });

  it.each<[string, WwwRule | undefined, string | undefined]>([
    [DOMAIN, undefined, undefined],
    [`www.${DOMAIN}`, 'same', DOMAIN],
  ])('finds the record of %s where the service writes it in capitals', async (domain, www, wrote) => {
    const service = faulty([{ ...ENDED, carriedOut: 'never' }], { unique: false });
    service.insert(DOMAIN.toUpperCase(), { privacy: 0 });
    const context = contextFor(service, { www: () => www });
    const verdict = await carryThrough({ change: createOf(domain), posts: 0 }, context);
    expect(verdict).toMatchObject({ fate: 'done', id: '1' });
    expect('wrote' in verdict ? verdict.wrote : undefined).toBe(wrote);
    expect(story(service)).toEqual(['create 0', 'find 0']);
  });

  it.each(['create', 'find', 'read'] as const)(
    'hides no fault of the program: in a %s',
    async (operation) => {
      const service = faulty([{ ...ENDED, carriedOut: 'before' }], { hiddenInList: ['privacy'] });
      const broken = { ...service, [operation]: () => Promise.reject(new TypeError('a fault')) };
      const carried = carryThrough({ change: createOf(), posts: 0 }, contextFor(broken));
      await expect(carried).rejects.toThrow('a fault');
    },
  );

  it('that meets a refused key ends it, and says so', async () => {
    const service = faulty([{ ...ENDED, carriedOut: 'before' }]);
    const { script } = service;
    service.script = (call) => (call.operation === 'find' ? { kind: 'key' } : script?.(call));
    const verdict = await carryThrough({ change: createOf(), posts: 0 }, contextFor(service));
    expect(verdict).toMatchObject({ fate: 'unknown', error: { code: 'key-refused' } });
  });
});

describe('a domain that is said to be taken, after a create in doubt', () => {
  it('is adopted as soon as it shows', async () => {
    const service = faulty([{ ...ENDED, carriedOut: 'before' }], { lagMs: 3000 });
    const verdict = await carryThrough({ change: createOf(), posts: 0 }, contextFor(service));
    expect(verdict).toMatchObject({ fate: 'done', id: '1', note: expect.stringContaining('adopted') });
    expect(story(service)).toEqual([
      ...['create 0', 'find 0', 'find 0.5', 'create 0.5'],
      ...['find 0.5', 'find 1.5', 'find 5.5'],
    ]);
    expect(service.records()).toHaveLength(1);
  });

  it.each<[string, number, Record<string, string[]>]>([
    ['for the domain', 422, { domain: ['This domain is already being used.'] }],
    ['in words alone', 422, {}],
    ['as a conflict', 409, {}],
  ])('%s, is unknown where it never shows, and not sent a third time', async (_, status, fields) => {
    const taken: FakeFault = { kind: 'refuse', status, fields };
    const service = faulty([{ ...ENDED, carriedOut: 'never' }, taken, taken]);
    const verdict = await carryThrough({ change: createOf(), posts: 0 }, contextFor(service));
    expect(verdict).toMatchObject({ fate: 'unknown', error: { status } });
    expect(service.calls.filter(({ operation }) => operation === 'create')).toHaveLength(2);
  });
});

describe('a create that is said to be carried out, in an answer that cannot be read', () => {
  const created = { ...ENDED, status: 201 };

  it('is found as soon as it shows, and not sent again before', async () => {
    const service = faulty([{ ...created, carriedOut: 'before' }], { unique: false, lagMs: 10_000 });
    const verdict = await carryThrough({ change: createOf(), posts: 0 }, contextFor(service));
    expect(verdict.fate).toBe('done');
    expect(story(service)).toEqual(['create 0', 'find 0', 'find 0.5', 'find 4.5', 'find 20.5']);
    expect(service.records()).toHaveLength(1);
  });

  it('is unknown where it does not show: the service may have given it another name', async () => {
    const service = faulty([{ ...created, carriedOut: 'before' }], { unique: false });
    const context = contextFor(service, { www: () => 'distinct' });
    const verdict = await carryThrough({ change: createOf(`www.${DOMAIN}`), posts: 0 }, context);
    expect(verdict).toMatchObject({ fate: 'unknown', error: { status: 201 } });
    expect(service.records()).toHaveLength(1);
  });
});

describe('adopting', () => {
  const settings = { privacy: 2, password: { env: 'PASSWORD' }, exclude_ips: ['192.0.2.1'] } as const;

  it('sends nothing where the record is as it should be', async () => {
    const service = faulty([{ ...ENDED, carriedOut: 'before' }]);
    await carryThrough({ change: createOf(DOMAIN, { privacy: 0 }), posts: 0 }, contextFor(service));
    expect(service.calls.map(({ operation }) => operation)).toEqual(['create', 'find']);
  });

  it('brings a record to the desired settings, password and all, in the full form', async () => {
    const service = faulty([{ ...BROKEN, carriedOut: 'never' }], { put: 'replace' });
    service.insert(DOMAIN, { privacy: 0, email: true, exclude_params: ['ref'] });
    const verdict = await carryThrough({ change: createOf(DOMAIN, settings), posts: 0 }, contextFor(service));
    expect(verdict.fate).toBe('done');
    expect(service.records()).toMatchObject([
      {
        password: 's3cret-value',
        settings: { privacy: 2, exclude_ips: ['192.0.2.1'], email: true, exclude_params: ['ref'] },
      },
    ]);
  });

  it.each([
    ['hides', { hiddenInList: ['email', 'exclude_params'] } as const],
    [
      'hides, and where nothing is missing sends nothing',
      { hiddenInList: ['privacy'] } as const,
      { privacy: 1 },
    ],
  ])('reads what a list %s', async (_, hidden, wants: DesiredWebsite['settings'] = settings) => {
    const service = faulty([{ ...ENDED, carriedOut: 'before' }], {
      put: 'replace',
      fresh: { email: true, exclude_params: ['ref'] },
      ...hidden,
    });
    await carryThrough({ change: createOf(DOMAIN, wants), posts: 0 }, contextFor(service));
    const [
      {
        settings: { privacy, ...kept },
      },
    ] = service.records() as [Stored];
    expect([privacy, kept]).toMatchObject([wants.privacy, { email: true, exclude_params: ['ref'] }]);
    const sent = wants === settings ? ['update'] : [];
    expect(service.calls.map(({ operation }) => operation)).toEqual(['create', 'find', 'read', ...sent]);
  });

  it('reads nothing for "service.update: changed" but what is declared', async () => {
    const service = faulty([{ ...ENDED, carriedOut: 'before' }], { hiddenInList: ['email'] });
    const context = contextFor(service, { rule: 'changed' });
    await carryThrough({ change: createOf(DOMAIN, settings), posts: 0 }, context);
    expect(service.calls.map(({ operation }) => operation)).toEqual(['create', 'find', 'update']);
  });

  it('brings what is declared, and hidden by the list, to the desired settings for it too', async () => {
    const service = faulty([{ ...ENDED, carriedOut: 'never' }], { hiddenInList: ['email'] });
    service.insert(DOMAIN, { email: false });
    const context = contextFor(service, { rule: 'changed' });
    const verdict = await carryThrough({ change: createOf(DOMAIN, { email: true }), posts: 0 }, context);
    expect(verdict.fate).toBe('done');
    expect(service.records()).toMatchObject([{ settings: { email: true } }]);
  });

  it.each([
    ['refused', { kind: 'refuse' } as const, { status: 422 }],
    ['lost', { ...BROKEN, carriedOut: 'never' } as const, {}],
  ])('is told as unknown where the update is %s', async (_, fault, error) => {
    const service = faulty([{ ...ENDED, carriedOut: 'before' }]);
    const { script } = service;
    service.script = (call) => (call.operation === 'update' ? fault : script?.(call));
    const verdict = await carryThrough({ change: createOf(DOMAIN, settings), posts: 0 }, contextFor(service));
    expect(verdict).toMatchObject({ fate: 'unknown', error });
    expect(service.records()).toHaveLength(1);
  });
});

describe('a record that was found', () => {
  it.each([
    ['brought to the desired settings', 'update', []],
    ['read', 'read', ['email']],
  ] as const)('is told as unknown where it is gone before it is %s', async (_, step, hiddenInList) => {
    const service = faulty([{ ...BROKEN, carriedOut: 'never' }], { hiddenInList });
    const { id } = service.insert(DOMAIN, { privacy: 1 });
    const { script } = service;
    service.script = (call) => {
      if (call.operation === step) service.drop(id);
      return script?.(call);
    };
    const verdict = await carryThrough({ change: createOf(), posts: 0 }, contextFor(service));
    expect(verdict).toMatchObject({ fate: 'unknown', error: { status: 404, blame: 'record' } });
  });
});

describe('the www. of a create', () => {
  const WWW = `www.${DOMAIN}`;

  async function inDoubt(www: () => WwwRule | undefined, existing = false) {
    const service = faulty([{ ...ENDED, carriedOut: existing ? 'never' : 'before' }], {
      www: existing ? 'keep' : 'strip',
    });
    if (existing) service.insert(DOMAIN, { privacy: 1 });
    const verdict = await carryThrough({ change: createOf(WWW), posts: 0 }, contextFor(service, { www }));
    return { verdict, service };
  }

  it('is missed by nobody: the answer says what the service made of it', async () => {
    const service = faulty([]);
    const verdict = await carryThrough({ change: createOf(WWW), posts: 0 }, contextFor(service));
    const note = `the service calls it ${DOMAIN}: set "service.www" to "same"`;
    expect(verdict).toMatchObject({ fate: 'done', wrote: DOMAIN, note });
  });

  it('taken off by the service, is adopted where both are one website', async () => {
    const { verdict, service } = await inDoubt(() => 'same');
    expect(verdict).toMatchObject({ fate: 'done', id: '1', wrote: DOMAIN });
    expect(service.records()).toHaveLength(1);
  });

  it('is adopted once another create has shown that the service takes it off', async () => {
    const { verdict } = await inDoubt(() => (clock.monotonic() > startedAt + 300 ? 'same' : undefined));
    expect(verdict.fate).toBe('done');
  });

  it('does not end the looking while the request may still be at work', async () => {
    const service = faulty([{ ...BROKEN, carriedOut: { afterMs: 20_000 } }], { www: 'keep' });
    service.insert(DOMAIN, { privacy: 1 });
    const verdict = await carryThrough({ change: createOf(WWW), posts: 0 }, contextFor(service));
    expect(verdict).toMatchObject({ fate: 'done', id: '2' });
    expect(story(service)).toEqual(['create 0', 'find 0', 'find 1', 'find 5', 'find 21']);
  });

  it('says nothing of a domain without it: no service puts the label on', async () => {
    const service = faulty([{ ...ENDED, carriedOut: 'never' }], { www: 'keep' });
    service.insert(WWW, { privacy: 1 });
    const verdict = await carryThrough({ change: createOf(), posts: 0 }, contextFor(service));
    expect(verdict).toMatchObject({ fate: 'done', id: '2' });
  });

  it('leaves another website alone where the two are distinct', async () => {
    const { verdict, service } = await inDoubt(() => 'distinct', true);
    expect(verdict).toMatchObject({ fate: 'done', id: '2' });
    expect(service.records()).toMatchObject([
      { domain: DOMAIN, settings: { privacy: 1 } },
      { domain: WWW, settings: { privacy: 0 } },
    ]);
  });

  it.each([true, false])(
    'is neither adopted nor sent again where nobody knows (existing: %s)',
    async (existing) => {
      const { verdict, service } = await inDoubt(() => undefined, existing);
      expect(verdict).toMatchObject({
        fate: 'unknown',
        error: {
          code: 'outcome-unknown',
          status: 500,
          message: expect.stringContaining(`the service has ${DOMAIN}, which may be it`),
          remedy: expect.stringContaining('service.www'),
        },
      });
      // Another create may tell meanwhile what the twin is.
      expect(story(service)).toEqual(['create 0', 'find 0', 'find 0.5', 'find 4.5']);
      expect(service.calls.some(({ operation }) => operation === 'update')).toBe(false);
      expect(service.records()).toHaveLength(1);
      expect(clock.monotonic() - startedAt).toBeLessThan(10_000);
    },
  );
});

describe('the last step', () => {
  it('sends nothing that was not sent', async () => {
    const service = faulty([]);
    const step = await stepCreate({ change: createOf(), posts: 0 }, contextFor(service), true);
    expect(step).toEqual({ fate: 'withdrawn' });
    expect(service.calls).toEqual([]);
  });

  it.each([
    ['found', 'before', 'done'],
    ['not found, while it may be at work', 'never', 'unknown'],
  ] as const)('looks once: %s', async (_, carriedOut, fate) => {
    const service = faulty([{ ...BROKEN, carriedOut }]);
    const attempt: CreateAttempt = { change: createOf(), posts: 0 };
    await stepCreate(attempt, contextFor(service), false);
    expect(await stepCreate(attempt, contextFor(service), true)).toMatchObject({ fate });
    expect(story(service)).toEqual(['create 0', 'find 0']);
  });
});

it('a create of a run that was cut off is looked for, and sent again only when its time has passed', async () => {
  const service = faulty([]);
  const context = contextFor(service);
  const verdict = await carryThrough(
    doubtfulCreate(createOf(), context.clock.monotonic() + REQUEST_TIMEOUT),
    context,
  );
  expect(verdict.fate).toBe('done');
  expect(story(service)).toEqual(['find 0', 'find 1', 'find 5', 'find 21', 'find 30', 'create 30']);
});
