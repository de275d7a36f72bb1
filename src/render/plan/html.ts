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
import type { Here } from './secrets.ts';
import { planCounts } from './words.ts';

/** The page; `digest` is SHA-256. */
export function planHtml(plan: Plan, { digest, ...here }: { readonly digest: Digest } & Here): string {
  const groups = groupChanges(plan.changes);
  return framed({
    title: `Websites plan: ${planCounts(plan.summary)}`,
    body: html`${header(plan)}<main>
${summary(plan, groups)}${notices(plan, here)}${changeList(plan, groups)}${groupList(plan)}${orphanList(plan)}</main>
${footer(plan)}`,
    digest,
    script: { data: scriptJson(pageData(groups)), text: SCRIPT },
  });
}
