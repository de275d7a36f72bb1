/**
 * Policies: what whoever answers for a service asks of the websites, the changes and the plan
 * (decision: "Policies come from outside the pull request").
 */
import type { Place, Problem } from './errors.ts';

/** What a rule is about. */
export const POLICY_SUBJECTS = ['website', 'change', 'plan'] as const;
export type PolicySubject = (typeof POLICY_SUBJECTS)[number];

/** `deny` blocks, `approve` blocks until its name is given, `warn` warns. */
export const POLICY_LEVELS = ['deny', 'approve', 'warn'] as const;
export type PolicyLevel = (typeof POLICY_LEVELS)[number];

/** Its expressions in CEL. */
export interface PolicyRule {
  readonly name: string;
  readonly on: PolicySubject;
  /** Which of them the rule is for; all, where it is missing. */
  readonly match?: string | undefined;
  /** What must hold. */
  readonly rule: string;
}

/** A part of a policy that is an expression. */
export type PolicyPart = 'match' | 'rule';

export interface Policy extends PolicyRule {
  readonly message: string;
  readonly level: PolicyLevel;
  readonly place: Place;
  /** What is wrong with an expression, from `start` to `end` of its text. */
  problemAt(part: PolicyPart, start: number, end: number, message: string): Problem;
}

export interface Policies {
  readonly all: readonly Policy[];
  /** SHA-256 over the digests of their files, wherever these are. */
  readonly digest: string;
}

/** What does not fulfill a policy. */
export interface Violator {
  readonly domain: string;
  readonly action?: string;
  readonly place?: Place;
}

/** A policy that is violated, as plans show it; that of a whole plan has no violators. */
export interface Violation extends Pick<Policy, 'name' | 'on' | 'level' | 'place'> {
  /** How many websites or changes there are that violate it. */
  readonly count: number;
  readonly first: readonly Violator[];
}

/** Whether a rule asks for what only a list of all records tells: the counts of those that do not change. */
export function asksForCounts({ all }: Policies): boolean {
  return all.some(({ match = '', rule }) => /\b(?:unchanged|orphan|ignored)\b/.test(`${match} ${rule}`));
}
