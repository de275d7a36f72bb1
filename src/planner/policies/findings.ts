/** What a judgment comes to: guards and warnings of a plan, and problems of the files. One for each policy. */
import { formatPlace, type Problem } from '../../model/errors.ts';
import type { Approvals, Guard } from '../../model/guard.ts';
import type { Policies, Policy, Violation, Violator } from '../../model/policy.ts';
import type { Warning } from '../../model/warning.ts';
import { count } from '../../util/text.ts';
import { DENIED, isPolicyApproved } from '../guards.ts';
import type { Found } from './judge.ts';

/** The policies that are violated, in their order; `about` names what their positions are of. */
export function violated(
  { all }: Policies,
  found: readonly Found[],
  about: { readonly website: readonly Violator[]; readonly change: readonly Violator[] },
): readonly (readonly [Policy, Violation])[] {
  return all.flatMap((policy, index) => {
    const { count = 0, first = [] } = found[index] ?? {};
    if (count === 0) return [];
    const { name, on, level, place } = policy;
    const items = on === 'plan' ? [] : about[on];
    return [[policy, { name, on, level, place, count, first: first.flatMap((at) => items[at] ?? []) }]];
  });
}

/** Those that block a plan until they are approved, which one of level `deny` never is. */
export function policyGuards(violations: ReturnType<typeof violated>, allow: Approvals): readonly Guard[] {
  return violations.flatMap(([policy, violation]): Guard[] => {
    const { name, level } = policy;
    if (level === 'warn') return [];
    return [
      {
        code: 'policy',
        message: messageOf(policy, violation),
        remedy: level === 'deny' ? DENIED : `Pass --allow-policy ${name} if this is intended.`,
        approved: isPolicyApproved(violation, allow),
        policy: violation,
      },
    ];
  });
}

export function policyWarnings(violations: ReturnType<typeof violated>): readonly Warning[] {
  return violations
    .filter(([{ level }]) => level === 'warn')
    .map(([policy, violation]) => ({
      code: 'policy-violated',
      message: messageOf(policy, violation),
      policy: violation,
    }));
}

/** At the first website that violates each; what can be approved is a warning before there is a plan. */
export function policyProblems(violations: ReturnType<typeof violated>): readonly Problem[] {
  return violations.map(([policy, violation]): Problem => {
    const place = violation.first[0]?.place;
    const told = { message: messageOf(policy, violation), ...(place && { place }) };
    if (policy.level === 'deny') return { severity: 'error', ...told };
    const remedy = `"websites plan" needs --allow-policy ${policy.name} for this.`;
    return {
      severity: 'warning',
      code: 'policy-violated',
      ...told,
      ...(policy.level === 'approve' && { remedy }),
    };
  });
}

function messageOf({ name, on, message, place }: Policy, { count: total, first }: Violation): string {
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  const told = `Policy ${name} (${formatPlace(place)}): ${sentence}`;
  if (on === 'plan') return told;
  const names = first.slice(0, NAMED).map(nameOf).join(', ');
  const more = total > NAMED ? ` and ${total - NAMED} more` : '';
  return `${told} Violated by ${count(total, on)}: ${names}${more}.`;
}

const NAMED = 5;

function nameOf({ domain, action, place }: Violator): string {
  const what = action === undefined ? domain : `${action} ${domain}`;
  return place === undefined ? what : `${what} (${formatPlace(place)})`;
}
