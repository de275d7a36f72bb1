/** Rules in CEL, held against facts. It runs in a worker, because an expression may take any time. */
import { Environment } from '@marcbachmann/cel-js';
import type { PolicyPart, PolicyRule, PolicySubject } from '../../model/policy.ts';
import { glob } from '../../util/glob.ts';
import { isObject } from '../../util/json.ts';
import { memoize } from '../../util/memoize.ts';
import type { Facts, Shape, Subjects, Table, Variables } from './facts.ts';

/** So many violators of a policy are named. */
export const MOST_NAMED = 20;

/** How many facts violate a rule, and the positions of the first ones. */
export interface Found {
  readonly count: number;
  readonly first: readonly number[];
}

/** An expression that cannot be used, or failed on the facts at `item`. */
export interface Fault {
  /** The position of its rule. */
  readonly rule: number;
  readonly part: PolicyPart;
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly item?: number;
}

export type Judgment = { readonly found: readonly Found[] } | { readonly faults: readonly Fault[] };

/**
 * Holds each rule against the facts of its subject, those that there are; `begin` hears which rule comes next. Every rule
 * is compiled before the first is run.
 */
export function judge(
  rules: readonly PolicyRule[],
  subjects: Subjects,
  variables: Variables,
  begin: (rule: number) => void = () => undefined,
): Judgment {
  const faults: Fault[] = [];
  const compiled = rules.map(({ on, match, rule }, index) => {
    begin(index);
    const shape = variables[on];
    const compilePart = (part: PolicyPart, text: string): Expression | undefined => {
      const made = compile(text, on, shape);
      if (typeof made === 'function') return made;
      faults.push({ rule: index, part, ...made });
      return undefined;
    };
    return {
      match: match === undefined ? undefined : compilePart('match', match),
      rule: compilePart('rule', rule),
    };
  });
  if (faults.length > 0) return { faults };
  listChanges(subjects);
  try {
    const found = compiled.map(({ match, rule }, index) => {
      begin(index);
      const table = subjects[rules[index]?.on ?? 'plan'] ?? NONE;
      return violations(table, match ?? (() => true), rule ?? (() => true), index);
    });
    return { found };
  } catch (error) {
    if (error instanceof Failed) return { faults: [error.fault] };
    throw error;
  }
}

/** Gives the plan its list of changes, which is made when a rule asks for it. */
function listChanges({ change, plan }: Subjects): void {
  const [facts] = plan?.columns.plan ?? [];
  if (facts === undefined || change === undefined) return;
  const { domain = [], group = [], change: all = [] } = change.columns;
  let list: readonly Facts[] | undefined;
  Object.defineProperty(facts, 'changes', {
    enumerable: true,
    configurable: true,
    get() {
      list ??= all.map((one, index) => ({ ...(one as Facts), domain: domain[index], group: group[index] }));
      return list;
    },
  });
}

const NONE: Table = { size: 0, columns: {} };

function violations({ size, columns }: Table, match: Expression, rule: Expression, index: number): Found {
  const facts: Record<string, unknown> = {};
  const names = Object.keys(columns);
  const first: number[] = [];
  let count = 0;
  const told = (item: number, part: PolicyPart, expression: Expression): boolean => {
    const value = expression(facts);
    if (typeof value === 'boolean') return value;
    throw new Failed({ rule: index, part, item, ...value });
  };
  for (let item = 0; item < size; item += 1) {
    for (const name of names) facts[name] = columns[name]?.[item];
    if (!told(item, 'match', match) || told(item, 'rule', rule)) continue;
    count += 1;
    if (first.length < MOST_NAMED) first.push(item);
  }
  return { count, first };
}

class Failed extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.message);
    this.fault = fault;
  }
}

type Trouble = Pick<Fault, 'start' | 'end' | 'message'>;
/** Whether it holds, or why that cannot be told. */
type Expression = (facts: Facts) => boolean | Trouble;

const like = memoize(glob);

/** It has the variables of one subject. */
const environmentOf = memoize((variables: Shape): Environment => {
  const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false });
  for (const [name, shape] of Object.entries(variables)) {
    environment.registerVariable(name, shape === true ? 'string' : 'map');
  }
  return environment.registerFunction('like(string, string): bool', (text: string, pattern: string) =>
    like(pattern)(text),
  );
});

function compile(text: string, on: PolicySubject, variables: Shape): Expression | Trouble {
  try {
    const parsed = environmentOf(variables).parse(text);
    const unknown = unknownName(parsed.ast, variables);
    if (unknown !== undefined) return unknown;
    const { type, error } = parsed.check();
    if (error !== undefined) return troubleOf(error, text);
    if (type !== 'bool' && type !== 'dyn') return notBoolean(text, type);
    const evaluate = (facts: Facts): boolean | Trouble => {
      try {
        const value: unknown = parsed(facts);
        return typeof value === 'boolean' ? value : notBoolean(text);
      } catch (error) {
        return troubleOf(error, text);
      }
    };
    const shared = /domain|group|plan/.test(text) ? undefined : SHARED[on];
    return shared === undefined ? evaluate : onceForEach(shared, evaluate);
  } catch (error) {
    return troubleOf(error, text);
  }
}

/** What many websites, or changes, share, and a rule may be about alone. */
const SHARED: Partial<Record<PolicySubject, string>> = { website: 'site', change: 'change' };

/** Evaluates an expression once for all that share what it is about. */
function onceForEach(name: string, evaluate: Expression): Expression {
  const told = new Map<unknown, ReturnType<Expression>>();
  return (facts) => {
    const shared = facts[name];
    const known = told.get(shared) ?? evaluate(facts);
    told.set(shared, known);
    return known;
  };
}

function notBoolean(text: string, type = 'another value'): Trouble {
  return {
    start: 0,
    end: text.length,
    message: `the expression must give true or false, and it gives ${type}`,
  };
}

function troubleOf(error: unknown, text: string): Trouble {
  const { summary, message, range } = error as {
    summary?: string;
    message: string;
    range?: { start: number; end: number };
  };
  return { start: range?.start ?? 0, end: range?.end ?? text.length, message: summary ?? message };
}

interface Node {
  readonly op: string;
  readonly args: unknown;
  readonly start: number;
  readonly end: number;
}

const SELECTS: ReadonlySet<string> = new Set(['.', '.?']);

/** The first name below a variable that it never has: `has()` of it would be false for ever. */
function unknownName(node: unknown, variables: Shape): Trouble | undefined {
  if (Array.isArray(node)) {
    for (const one of node) {
      const found = unknownName(one, variables);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isNode(node)) return undefined;
  return unknownSelect(node, variables) ?? unknownName(node.args, variables);
}

function unknownSelect(node: Node, variables: Shape): Trouble | undefined {
  if (!SELECTS.has(node.op)) return undefined;
  const [of, name] = node.args as readonly unknown[];
  const shape = shapeOf(of, variables);
  if (shape === undefined || shape === true || typeof name !== 'string' || Object.hasOwn(shape, name)) {
    return undefined;
  }
  const names = Object.keys(shape).join(', ');
  return { start: node.start, end: node.end, message: `there is no ${name} here, only ${names}` };
}

function shapeOf(node: unknown, variables: Shape): Shape | true | undefined {
  if (!isNode(node)) return undefined;
  if (node.op === 'id') return variables[String(node.args)];
  if (!SELECTS.has(node.op)) return undefined;
  const [of, name] = node.args as readonly unknown[];
  const shape = shapeOf(of, variables);
  return shape === undefined || shape === true ? undefined : shape[String(name)];
}

function isNode(node: unknown): node is Node {
  return isObject(node) && 'op' in node && 'args' in node;
}
