/** What a reviewer has to know before the changes: guards, warnings, and the secrets that apply needs. */
import type { Guard } from '../../model/guard.ts';
import type { Plan } from '../../model/plan.ts';
import { type Here, NOT_SET_HERE, SECRETS_NEEDED, secretsOf } from '../plan/secrets.ts';
import { safe } from '../sanitize.ts';
import { count, moreLine } from '../text.ts';
import { type Html, html, raw } from './markup.ts';

/** Guards with their remedy, then warnings, then secrets; nothing where there is none. */
export function notices(plan: Plan, here: Here): Html {
  return html`${guards(plan)}${warnings(plan)}${secrets(plan, here)}`;
}

function guards({ guards }: Plan): Html {
  if (guards.length === 0) return raw('');
  return html`<section aria-label="Guards">
${guards.map(guard)}</section>
`;
}

function guard({ code, message, remedy, approved }: Guard): Html {
  const word = approved ? 'Approved' : 'Blocked';
  return html`<div class="guard ${approved ? 'good' : 'bad'}"><p><strong>${word} (${code})</strong> ${message}</p>${approved ? '' : html`<p class="dim">${remedy}</p>`}</div>
`;
}

/** So many warnings stand open. */
const FEW = 3;

function warnings({ warnings }: Plan): Html {
  if (warnings.length === 0) return raw('');
  return html`<details class="guard warn"${warnings.length <= FEW ? raw(' open') : ''}><summary><strong>${count(warnings.length, 'warning')}</strong></summary><ul>${warnings.map(({ code, message }) => html`<li>${message} <code>${code}</code></li>`)}</ul></details>
`;
}

/** So many secrets are named. */
const NAMED_SECRETS = 100;

function secrets(plan: Plan, here: Here): Html {
  const needed = here.drift === undefined ? secretsOf(plan, here) : [];
  if (needed.length === 0) return raw('');
  const names = needed
    .slice(0, NAMED_SECRETS)
    .map(
      ({ reference, isUnset }) =>
        html`<li><span class="mono">${safe(reference)}</span>${isUnset ? raw(NOT_SET_HERE) : ''}</li>`,
    );
  const left = moreLine(needed.length - names.length).map((line) => html`<li>${line}</li>`);
  return html`<div class="guard"><p><strong>${SECRETS_NEEDED}</strong></p><ul>${names}${left}</ul></div>
`;
}
