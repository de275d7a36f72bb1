/** A plan as one self-contained page that a reviewer opens from the artifacts of a CI job. */
import type { Digest, Plan } from '../../model/plan.ts';
import { groupChanges } from '../groups.ts';
import { changeList } from '../html/changes.ts';
import { pageData, scriptJson } from '../html/data.ts';
import { framed } from '../html/frame.ts';
import { html } from '../html/markup.ts';
import { notices } from '../html/notices.ts';
import { SCRIPT } from '../html/page.ts';
import { footer, groupList, header, orphanList, summary } from '../html/summary.ts';
import { differText, viewOf, wordingOf } from '../wording.ts';
import type { Here } from './secrets.ts';
import { planCounts } from './words.ts';

/** The page; `digest` is SHA-256. */
export function planHtml(given: Plan, { digest, ...here }: { readonly digest: Digest } & Here): string {
  const plan = viewOf(given, here);
  const wording = wordingOf(here);
  const isDrift = here.drift !== undefined;
  const groups = groupChanges(plan.changes);
  return framed({
    title: isDrift
      ? `Websites drift: ${differText(plan.changes)}`
      : `Websites plan: ${planCounts(plan.summary)}`,
    body: html`${header(plan, isDrift)}<main>
${summary(plan, groups, wording)}${notices(plan, here)}${changeList(plan, groups)}${groupList(plan, wording)}${orphanList(plan)}</main>
${footer(plan)}`,
    digest,
    script: { data: scriptJson(pageData(groups, wording)), text: SCRIPT },
  });
}
