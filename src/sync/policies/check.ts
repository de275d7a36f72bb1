/** What is planned, or declared, held against policies. Loaded where there are some. */
import type { Change } from '../../model/change.ts';
import type { Problem } from '../../model/errors.ts';
import type { PlanContext, PlanOptions } from '../../model/plan.ts';
import type { Policies, Violator } from '../../model/policy.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import type { PlanContent } from '../../planner/plan.ts';
import { planFacts, websiteFacts } from '../../planner/policies/facts.ts';
import { policyGuards, policyProblems, policyWarnings, violated } from '../../planner/policies/findings.ts';
import { run } from './run.ts';

/**
 * A plan with what violates policies among its guards and warnings. `websites` are those that it is about. Throws
 * `policy-invalid`.
 */
export async function checkPlan(
  content: PlanContent,
  websites: readonly DesiredWebsite[],
  policies: Policies,
  options: PlanOptions,
  context: Pick<PlanContext, 'service' | 'now'>,
): Promise<PlanContent> {
  const present = websites.filter(isPresent);
  const isOfPlan = policies.all.some(({ on }) => on !== 'website');
  const subjects = {
    website: websiteFacts(present),
    ...(isOfPlan ? planFacts(content, options, context) : {}),
  };
  const violations = violated(policies, await run(policies, subjects), {
    website: present.map(websiteViolator),
    change: content.changes.map(changeViolator(options)),
  });
  return {
    ...content,
    guards: [...content.guards, ...policyGuards(violations, options.allow)],
    warnings: [...content.warnings, ...policyWarnings(violations)],
    policies: { digest: policies.digest },
  };
}

/** What of the files alone violates policies. Throws `policy-invalid`, for rules on changes and plans as well. */
export async function checkWebsites(
  websites: readonly DesiredWebsite[],
  policies: Policies,
): Promise<readonly Problem[]> {
  const present = websites.filter(isPresent);
  const found = await run(policies, { website: websiteFacts(present) });
  return policyProblems(violated(policies, found, { website: present.map(websiteViolator), change: [] }));
}

function isPresent({ state }: DesiredWebsite): boolean {
  return state === 'present';
}

function websiteViolator({ domain, source }: DesiredWebsite): Violator {
  return { domain, place: source };
}

/** What an undo changes back, no line asks for. */
function changeViolator({ undoes }: PlanOptions): (change: Change) => Violator {
  return ({ domain, action, source }) => ({
    domain,
    action,
    ...(undoes === undefined && source !== undefined ? { place: source } : {}),
  });
}
