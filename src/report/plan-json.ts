/** The plan document `websites.plan/1` (decision: "Formats and exit codes are a contract"). */
import type { Plan } from '../model/plan.ts';
import { isLongList, planLines } from '../planner/plan-file/write.ts';
import { jsonLine, memberJson } from './json.ts';
import { safeJson } from './sanitize.ts';

export function planJson(plan: Plan): string {
  return [...planJsonPieces(plan)].join('');
}

/** The same in pieces: the text of a large plan takes more memory than the plan. */
export function* planJsonPieces(plan: Plan): Generator<string> {
  let before = '{\n';
  for (const [name, member] of Object.entries(plan)) {
    if (member === undefined) continue;
    yield before;
    if (isLongList(name) && plan[name].length > 0) yield* listPieces(name, planLines(plan, name));
    else yield safeJson(memberJson(name, member));
    before = ',\n';
  }
  yield '\n}\n';
}

function* listPieces(name: string, lines: readonly string[]): Generator<string> {
  let before = `  "${name}": [`;
  for (const piece of lines) {
    yield `${before}\n    ${safeJson(piece).replaceAll('\n', ',\n    ')}`;
    before = ',';
  }
  yield '\n  ]';
}

/** GitLab's merge-request widget (`artifacts:reports:terraform`): counts alone, since guests may read it. */
export function planGitlab({ summary }: Plan): string {
  return jsonLine({ create: summary.create, update: summary.update, delete: summary.delete });
}
