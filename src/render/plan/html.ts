/**
 * A plan as one self-contained page that a reviewer opens from the artifacts of a CI job. It asks the network
 * for nothing, and its own policy forbids it to; foreign text only ever becomes text.
 */
import type { Digest, Plan } from '../../model/plan.ts';
import { groupChanges } from '../groups.ts';
import { changeList } from '../html/changes.ts';
import { pageData, scriptJson } from '../html/data.ts';
import { html, raw } from '../html/markup.ts';
import { notices } from '../html/notices.ts';
import { SCRIPT, STYLE } from '../html/page.ts';
import { footer, groupList, header, orphanList, summary } from '../html/summary.ts';
import type { Here } from './secrets.ts';
import { planCounts } from './words.ts';

/** The page; `digest` is SHA-256, for the policy that names the one script and the one style sheet. */
export function planHtml(plan: Plan, { digest, ...here }: { readonly digest: Digest } & Here): string {
  const groups = groupChanges(plan.changes);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${raw(policy(digest))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>Websites plan: ${planCounts(plan.summary)}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
${header(plan)}<main>
${summary(plan, groups)}${notices(plan, here)}${changeList(plan, groups)}${groupList(plan)}${orphanList(plan)}</main>
${footer(plan)}<script type="application/json" id="data">${raw(scriptJson(pageData(groups)))}</script>
<script>${raw(SCRIPT)}</script>
</body>
</html>
`;
  return page.markup;
}

/** Everything is forbidden but the page's own style and script, told by their digests (CSP 3, 6.7.3). */
function policy(digest: Digest): string {
  const source = (text: string): string => `'sha256-${Buffer.from(digest(text), 'hex').toString('base64')}'`;
  return [
    "default-src 'none'",
    `style-src ${source(STYLE)}`,
    `script-src ${source(SCRIPT)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}
