/**
 * A plan as one self-contained page that a reviewer opens from the artifacts of a CI job. It asks the network
 * for nothing, and its own policy forbids it to; foreign text only ever becomes text.
 */

import type { Digest } from '../core/canonical.ts';
import { ACTIONS } from '../core/change.ts';
import { type Guard, refusals } from '../core/guards.ts';
import type { Plan } from '../core/plan.ts';
import { groupChanges } from './groups.ts';
import { riskChart } from './html/chart.ts';
import { pageData, scriptJson } from './html/data.ts';
import { type Html, html, raw, timeText } from './html/markup.ts';
import { SCRIPT } from './html/script.ts';
import { STYLE } from './html/style.ts';
import { asTheFilesSay, orphansKept, selectionFlags } from './plan-human.ts';
import { safeDomain, safeId } from './safe.ts';
import { count, duration, some } from './text.ts';

const SIGNS = { create: '+', update: '~', delete: '−' } as const;

/** The page; `digest` is SHA-256, for the policy that names the one script and the one style sheet. */
export function planHtml(plan: Plan, { digest }: { readonly digest: Digest }): string {
  const title = `Websites plan: ${plan.summary.create} to create, ${plan.summary.update} to update, ${plan.summary.delete} to delete`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${raw(policy(digest))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
${header(plan)}<main>
${summary(plan)}${guards(plan)}${warnings(plan)}${changes(plan)}${orphans(plan)}</main>
${footer(plan)}<script type="application/json" id="data">${raw(scriptJson(pageData(plan)))}</script>
<script>${raw(SCRIPT)}</script>
</body>
</html>
`;
  return page.markup;
}

/** Everything is forbidden but the page's own style and script, told by their digests (CSP 3, 6.7.3). */
function policy(digest: Digest): string {
  const source = (text: string): string => `'sha256-${base64OfHex(digest(text))}'`;
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

function base64OfHex(hex: string): string {
  const bytes = hex.match(/../g) ?? [];
  return btoa(bytes.map((byte) => String.fromCharCode(Number.parseInt(byte, 16))).join(''));
}

function header(plan: Plan): Html {
  const { service, config, created_at, expires_at, options } = plan;
  const files = config.files.map(({ path }) => path);
  const flags = selectionFlags(options);
  const lines = [
    html`<span class="mono">${service.base_url}</span><span class="mono">${some(files, files.length, 3)}</span><span>made <time datetime="${created_at}">${timeText(created_at)}</time></span><span>expires <time datetime="${expires_at}">${timeText(expires_at)}</time></span>`,
    ...(flags.length === 0
      ? []
      : [html`<span>Only a selection: <span class="mono">${some(flags)}</span></span>`]),
    ...(options.since === undefined
      ? []
      : [html`<span>Compared with <span class="mono">${options.since}</span></span>`]),
  ];
  return html`<header class="top">
<div>
<h1>Websites plan</h1>
${lines.map(
  (line) => html`<p class="meta">${line}</p>
`,
)}</div>
${verdict(plan)}</header>
`;
}

function verdict({ changes, guards }: Plan): Html {
  const refused = refusals(guards).length;
  if (refused > 0)
    return html`<p class="verdict bad">Refused by ${count(refused, 'guard')}</p>
`;
  if (changes.length === 0)
    return html`<p class="verdict good">Nothing to do</p>
`;
  return html`<p class="verdict good">Ready to apply</p>
`;
}

function summary(plan: Plan): Html {
  const { summary, changes } = plan;
  const facts = factsOf(plan).map(([number, what]) => html`<span><b>${number}</b> ${what}</span>`);
  if (changes.length === 0) {
    return html`<section class="card nothing" aria-label="Summary"><p>No changes.</p><p>${asTheFilesSay(summary.unchanged)}.</p><p class="facts">${facts}</p></section>
`;
  }
  const counts = ACTIONS.map(
    (action) =>
      html`<div class="${action}"><dt>to ${action}</dt><dd><span aria-hidden="true">${SIGNS[action]}</span>${summary[action]}</dd></div>`,
  );
  return html`<section class="summary" aria-label="Summary">
<div class="card">
<dl class="counts">${counts}</dl>
<p class="facts">${facts}</p>
</div>
${riskChart(plan)}</section>
`;
}

/** What else there is to count, where there is any of it. */
function factsOf(plan: Plan): (readonly [number, string])[] {
  const { summary, cost, changes } = plan;
  const time = cost.seconds === null ? '' : `, about ${duration(cost.seconds)}`;
  const facts = [
    [changes.length === 0 ? 0 : summary.unchanged, 'unchanged'],
    [summary.orphan, orphansKept(plan).replace(/^\d+ /, '')],
    [summary.ignored, 'ignored'],
    [cost.requests, `requests to apply${time}`],
  ] as const;
  return facts.filter(([number]) => number > 0);
}

function guards({ guards }: Plan): Html {
  if (guards.length === 0) return raw('');
  return html`<section class="guards" aria-label="Guards">
${guards.map(guard)}</section>
`;
}

function guard({ code, message, remedy, approved }: Guard): Html {
  const word = approved ? 'Approved' : 'Refused';
  return html`<div class="guard ${approved ? 'good' : 'bad'}"><p><strong>${word} (${code})</strong>${message}</p>${approved ? '' : html`<p class="remedy">${remedy}</p>`}</div>
`;
}

/** So many warnings stand open. */
const FEW = 3;

function warnings({ warnings }: Plan): Html {
  if (warnings.length === 0) return raw('');
  return html`<div class="guards"><details class="guard warn"${warnings.length <= FEW ? raw(' open') : ''}><summary><strong>${count(warnings.length, 'warning')}</strong></summary><ul>${warnings.map((text) => html`<li>${text}</li>`)}</ul></details></div>
`;
}

function changes(plan: Plan): Html {
  if (plan.changes.length === 0) return raw('');
  return html`<section class="changes" aria-label="Changes">
<div class="toolbar" id="toolbar" hidden>
<div class="tools"><div class="search"><input id="search" type="search" placeholder="Search domains, values, files" aria-label="Search changes" autocomplete="off" spellcheck="false"><kbd aria-hidden="true">/</kbd></div>
<select id="field" aria-label="Field"><option value="">any field</option></select>
<label class="switch"><input id="grouped" type="checkbox" checked> group similar edits</label>
<p class="found" id="found" role="status"></p></div>
<div class="tools"><div class="chips" id="actions" role="group" aria-label="Action"></div>
<div class="chips" id="risks" role="group" aria-label="Risk"></div>
<div class="chips" id="origins" role="group" aria-label="Whose change"></div>
<button class="button" id="clear" type="button" hidden>clear</button>
<p class="keys" aria-label="Keys"><kbd>/</kbd> search <kbd>j</kbd><kbd>k</kbd> move <kbd>Enter</kbd> open <kbd>Esc</kbd> close</p></div>
</div>
<div class="panes" id="panes" hidden>
<div class="list" id="list" role="treegrid" tabindex="0" aria-label="Changes, the riskiest first"><div class="rows" id="rows" role="rowgroup"></div><p class="none" id="none" hidden>No change matches.</p></div>
<aside class="details" id="details" aria-label="Details" tabindex="-1" hidden></aside>
</div>
${withoutScript(plan)}</section>
`;
}

/** So many risky changes are named where no script runs. */
const NAMED_WITHOUT_SCRIPT = 500;

function withoutScript({ changes }: Plan): Html {
  const risky = groupChanges(changes).flatMap((group) => (group.risky ? group.changes : []));
  const named = risky.slice(0, NAMED_WITHOUT_SCRIPT);
  const items = named.map(
    (change) =>
      html`<li><strong>${change.risk.level}</strong> ${change.action} <span class="mono">${safeDomain(change.domain)} ${'id' in change ? safeId(change.id) : ''}</span>: ${change.risk.reason}</li>
`,
  );
  return html`<noscript><div class="card unscripted"><p>${risky.length} of ${changes.length} changes are deletes or of high risk${named.length < risky.length ? html`; the first ${named.length}` : ''}</p><p>The full list, search and filters need JavaScript.</p><ul>${items}</ul></div></noscript>
`;
}

/** So many orphans are named. */
const NAMED_ORPHANS = 1_000;

function orphans({ orphans }: Plan): Html {
  if (orphans.length === 0) return raw('');
  const names = orphans.slice(0, NAMED_ORPHANS).map(
    ({ domain, id, protected: held }) =>
      html`<li>${safeDomain(domain)} <span class="id">${safeId(id)}</span>${held ? raw(' (protected)') : ''}</li>
`,
  );
  const left = orphans.length - names.length;
  return html`<details class="orphans"><summary>${count(orphans.length, 'orphan')}, in no file and left alone</summary><ul class="mono">${names}${left > 0 ? html`<li>… and ${left} more</li>` : ''}</ul></details>
`;
}

function footer({ digest, config }: Plan): Html {
  return html`<footer class="foot"><p>Plan <span class="mono">${digest}</span></p><p>Configuration <span class="mono">${config.digest}</span></p></footer>
`;
}
