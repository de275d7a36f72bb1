/** The beginning and the end of the page. */
import { ACTIONS } from '../../model/change.ts';
import type { Plan } from '../../model/plan.ts';
import { countByAction } from '../../planner/changes.ts';
import { refusals } from '../../planner/guards.ts';
import { changesByGroup, groupText } from '../by-group.ts';
import { dangersOf, NO_DANGER } from '../plan/dangers.ts';
import { asTheFilesSay, planSource, readText, selectionFlags, whyKept } from '../plan/words.ts';
import { safeDomain, safeId } from '../sanitize.ts';
import { count, duration, some } from '../text.ts';
import { PLANNED, type Wording } from '../wording.ts';
import { type Html, html, raw } from './markup.ts';
import { SIGNS } from './signs.ts';

/** What this is a plan of, and whether it can be applied. */
export function header(plan: Plan, isDrift: boolean): Html {
  const { service, created_at, expires_at, options } = plan;
  const flags = selectionFlags(options);
  const [tone, text] = isDrift ? driftVerdict(plan) : verdict(plan);
  const looked = readText(plan);
  const lines = [
    html`<span class="mono">${service.base_url}</span><span class="mono">${planSource(plan)}</span><span>made <time datetime="${created_at}">${created_at}</time></span>${isDrift ? '' : html`<span>expires <time datetime="${expires_at}">${expires_at}</time></span>`}`,
    ...(plan.scope === undefined
      ? []
      : [html`<span>Scope: <span class="mono">${some(plan.scope)}</span></span>`]),
    ...(flags.length === 0 ? [] : [html`<span>Filtered by: <span class="mono">${some(flags)}</span></span>`]),
    ...(options.since === undefined
      ? []
      : [html`<span>Compared with <span class="mono">${options.since}</span></span>`]),
    ...(looked === undefined ? [] : [html`<span>${looked}</span>`]),
  ];
  return html`<header class="top">
<div>
<h1>Websites ${isDrift ? 'drift' : 'plan'}${service.target === undefined ? '' : ` for ${service.target}`}</h1>
${lines.map((line) => html`<p class="meta">${line}</p>`)}
</div>
<p class="verdict ${tone}">${text}</p>
</header>
`;
}

function driftVerdict({ changes }: Plan): readonly [tone: string, text: string] {
  if (changes.length === 0) return ['good', 'No drift'];
  return ['bad', `${count(changes.length, 'record')} ${changes.length === 1 ? 'differs' : 'differ'}`];
}

function verdict({ changes, guards }: Plan): readonly [tone: string, text: string] {
  const refused = refusals(guards).length;
  if (refused > 0) return ['bad', `Blocked by ${count(refused, 'guard')}`];
  return ['good', changes.length === 0 ? 'Nothing to do' : 'Ready to apply'];
}

/** How much changes, and what is dangerous about it. */
export function summary(plan: Plan, wording: Wording): Html {
  const { summary, changes } = plan;
  const facts = factsOf(plan, wording).map(([number, what]) => html`<span><b>${number}</b> ${what}</span>`);
  if (changes.length === 0) {
    return html`<section class="card" aria-label="Summary"><p>${wording === PLANNED ? 'No changes' : 'No drift'}.</p><p>${asTheFilesSay(summary.unchanged)}.</p><p class="facts">${facts}</p></section>
`;
  }
  const totals = countByAction(changes);
  const counts = ACTIONS.map(
    (action) =>
      html`<div class="${action}"><dt>${wording.many[action]}</dt><dd><span aria-hidden="true">${SIGNS[action]}</span>${totals[action]}</dd></div>`,
  );
  const isPlan = wording === PLANNED;
  return html`<section${isPlan ? raw(' class="summary"') : ''} aria-label="Summary">
<div class="card">
<dl class="counts">${counts}</dl>
<p class="facts">${facts}</p>
</div>
${isPlan ? dangerTable(plan) : ''}</section>
`;
}

function dangerTable(plan: Plan): Html {
  const rows = dangersOf(plan).map(({ level, what, count: total, names }) => {
    const left = total > names.length ? html` … and ${total - names.length} more` : '';
    return html`<tr><td class="${level}">${level}</td><td>${what}</td><td>${total}</td><td><span class="mono">${names.join(', ')}</span>${left}</td></tr>
`;
  });
  if (rows.length === 0) return html`<p class="card">${NO_DANGER}</p>`;
  return html`<div class="card"><table><tr><th>Risk</th><th>What</th><th>Count</th><th>Where</th></tr>
${rows}</table></div>`;
}

/** What else there is to count, where there is any of it. */
function factsOf(plan: Plan, wording: Wording): (readonly [number, string])[] {
  const { summary, cost, changes } = plan;
  const time = cost.seconds === null ? '' : `, about ${duration(cost.seconds)}`;
  const facts = [
    [changes.length === 0 ? 0 : (summary.unchanged ?? 0), 'unchanged'],
    [summary.orphan ?? 0, `${summary.orphan === 1 ? 'orphan' : 'orphans'} kept (${whyKept(plan)})`],
    [summary.ignored ?? 0, 'ignored'],
    [wording === PLANNED ? cost.requests : 0, `requests to apply${time}`],
  ] as const;
  return facts.filter(([number]) => number > 0);
}

/** So many groups, and domains of each, are named. */
const [GROUPS, GROUP_DOMAINS] = [500, 200];

/** The changes of each group of websites, folded away. */
export function groupList({ changes }: Plan, wording: Wording): Html {
  const groups = changesByGroup(changes);
  if (groups.length === 0) return raw('');
  const items = groups.slice(0, GROUPS).map((group) => {
    const domains = group.changes.slice(0, GROUP_DOMAINS).map(
      ({ action, domain }) => html`<li>${SIGNS[action]} ${safeDomain(domain)}</li>
`,
    );
    const left = group.changes.length - domains.length;
    return html`<details><summary>${groupText(group, wording)}</summary><ul class="mono names">${domains}${left > 0 ? html`<li>… and ${left} more</li>` : ''}</ul></details>
`;
  });
  const left = groups.length - items.length;
  return html`<section aria-label="By group"><h2>By group</h2>
${items}${left > 0 ? html`<p>… and ${count(left, 'more group')}</p>` : ''}</section>
`;
}

/** So many orphans are named. */
const NAMED_ORPHANS = 1_000;

/** Records that no file lists and that stay, folded away. */
export function orphanList({ orphans }: Plan): Html {
  if (orphans.length === 0) return raw('');
  const names = orphans.slice(0, NAMED_ORPHANS).map(
    ({ domain, id, protected: held }) =>
      html`<li>${safeDomain(domain)} <span class="id">${safeId(id)}</span>${held ? raw(' (protected)') : ''}</li>
`,
  );
  const left = orphans.length - names.length;
  return html`<details><summary>${count(orphans.length, 'orphan')}, not declared and kept</summary><ul class="mono names">${names}${left > 0 ? html`<li>… and ${left} more</li>` : ''}</ul></details>
`;
}

export function footer({ digest, config }: Plan): Html {
  return html`<footer class="foot"><p>Plan <span class="mono">${digest}</span></p><p>Configuration <span class="mono">${config.digest}</span></p></footer>
`;
}
