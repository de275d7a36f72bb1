/** The place of the list of changes: what the script fills, and what stands there without it. */
import type { Plan } from '../../model/plan.ts';
import type { Group } from '../groups.ts';
import { safeDomain, safeId } from '../sanitize.ts';
import { type Html, html, raw } from './markup.ts';

/** Search, filters and list; nothing where there is no change. */
export function changeList({ changes }: Plan, groups: readonly Group[]): Html {
  if (changes.length === 0) return raw('');
  return html`<section class="changes" aria-label="Changes">
<div class="toolbar" id="toolbar" hidden>
<div class="tools"><div class="search"><input id="search" type="search" placeholder="Search domains, values, files" aria-label="Search changes" autocomplete="off" spellcheck="false"><kbd aria-hidden="true">/</kbd></div>
<select id="field" aria-label="Field"><option value="">any field</option></select>
<select id="site" aria-label="Group"><option value="">any group</option></select>
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
${withoutScript(changes.length, groups)}</section>
`;
}

/** So many risky changes are named where no script runs. */
const NAMED_WITHOUT_SCRIPT = 500;

function withoutScript(total: number, groups: readonly Group[]): Html {
  const risky = groups.flatMap((group) => (group.risky ? group.changes : []));
  const named = risky.slice(0, NAMED_WITHOUT_SCRIPT);
  const items = named.map(
    (change) =>
      html`<li><strong>${change.risk.level}</strong> ${change.action} <span class="mono">${safeDomain(change.domain)} ${'id' in change ? safeId(change.id) : ''}</span>: ${change.risk.reason}</li>
`,
  );
  return html`<noscript><div class="card unscripted"><p>${risky.length} of ${total} changes are deletes or of high risk${named.length < risky.length ? html`; the first ${named.length}` : ''}</p><p>The full list, search and filters need JavaScript.</p><ul>${items}</ul></div></noscript>
`;
}
