/** A plan as one self-contained page that a reviewer opens from the artifacts of a CI job. */
import type { Digest, Plan } from '../../model/plan.ts';
import { changeList } from '../html/changes.ts';
import { framed } from '../html/frame.ts';
import { html } from '../html/markup.ts';
import { notices } from '../html/notices.ts';
import { footer, groupList, header, orphanList, summary } from '../html/summary.ts';
import { differText, viewOf, wordingOf } from '../wording.ts';
import type { Here } from './secrets.ts';
import { planCounts } from './words.ts';

/** The page; `digest` is SHA-256. */
export function planHtml(given: Plan, { digest, ...here }: { readonly digest: Digest } & Here): string {
  const plan = viewOf(given, here);
  const wording = wordingOf(here);
  const isDrift = here.drift !== undefined;
  return framed({
    title: isDrift
      ? `Websites drift: ${differText(plan.changes)}`
      : `Websites plan: ${planCounts(plan.summary)}`,
    body: html`${header(plan, isDrift)}<main>
${summary(plan, wording)}${notices(plan, here)}${changeList(plan, wording)}${groupList(plan, wording)}${orphanList(plan)}</main>
${footer(plan)}`,
    digest,
    hasSearch: plan.changes.length > 0,
  });
}
