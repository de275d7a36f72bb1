/** What a reviewer has to know before the changes: guards and warnings. */
import type { Guard } from '../../core/guards.ts';
import type { Plan } from '../../core/plan.ts';
import { count } from '../text.ts';
import { type Html, html, raw } from './markup.ts';

/** Guards with their remedy, then warnings; nothing where there is none. */
export function notices(plan: Plan): Html {
  return html`${guards(plan)}${warnings(plan)}`;
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
