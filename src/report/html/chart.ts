/** Changes by risk, each bar parted by action: a small chart that needs no script. */
import { ACTIONS, type Action } from '../../model/change.ts';
import { RISK_LEVELS, type RiskLevel } from '../../model/risk.ts';
import type { Group } from '../groups.ts';
import { type Html, html } from './markup.ts';

/** Of a bar's 100 units; so that three deletes among thousands of edits can be seen. */
const THINNEST = 1.5;

export function riskChart(groups: readonly Group[]): Html {
  const levels = RISK_LEVELS.map((level) => levelOf(level, groups));
  const most = Math.max(1, ...levels.map(({ total }) => total));
  return html`<figure class="card chart" aria-labelledby="chart-title">
<div><figcaption id="chart-title">Changes by risk</figcaption>
<p class="legend" aria-hidden="true">${ACTIONS.map((action) => html`<span class="key ${action}">${action}</span>`)}</p></div>
<ul>${levels.map((level) => bar(level, most))}</ul>
</figure>
`;
}

interface ChartLevel {
  readonly level: RiskLevel;
  readonly total: number;
  readonly counts: Readonly<Record<Action, number>>;
}

function levelOf(level: RiskLevel, groups: readonly Group[]): ChartLevel {
  const counts = { create: 0, update: 0, delete: 0 };
  for (const { changes } of groups) {
    const [{ action, risk }] = changes;
    if (risk.level === level) counts[action] += changes.length;
  }
  return { level, counts, total: counts.create + counts.update + counts.delete };
}

function bar({ level, total, counts }: ChartLevel, most: number): Html {
  const parts = ACTIONS.filter((action) => counts[action] > 0);
  const told = parts.map((action) => `${counts[action]} to ${action}`).join(', ');
  const widths = parts.map((action) => Math.max(THINNEST, (counts[action] / most) * 100));
  const scale = Math.min(1, 100 / widths.reduce((sum, width) => sum + width, 0));
  let x = 0;
  const rects = parts.map((action, index) => {
    const width = (widths[index] ?? 0) * scale;
    const rect = html`<rect class="${action}" x="${x.toFixed(2)}" width="${width.toFixed(2)}" height="1"></rect>`;
    x += width;
    return rect;
  });
  return html`<li><span class="level">${level}</span><svg viewBox="0 0 100 1" preserveAspectRatio="none" role="img" aria-label="${level} risk: ${told || 'none'}">${rects}</svg><span class="number">${total}</span></li>
`;
}
