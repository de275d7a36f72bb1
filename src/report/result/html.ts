/** What a run came to, as one self-contained page. */
import type { Digest } from '../../model/plan.ts';
import type { Result } from '../../model/run.ts';
import { SIGNS } from '../heading.ts';
import { framed } from '../html/frame.ts';
import { type Html, html, raw } from '../html/markup.ts';
import { FENCE } from '../markdown.ts';
import { count, moreLine } from '../text.ts';
import { type Applied, gravestApplied } from './applied.ts';
import { failureBlocks, residualBlocks, signedName } from './human.ts';
import {
  costText,
  countsText,
  effectLine,
  effectSections,
  goOnText,
  isNothing,
  nothingText,
  proofOf,
  stoppedText,
  unknownFirst,
  unverifiedText,
} from './words.ts';

/** So many lines of a list are shown. */
const LINES = 10_000;

/** The page; `digest` is SHA-256. */
export function resultHtml(
  result: Result,
  { digest, ...known }: { readonly digest: Digest; readonly target?: string | undefined } & Applied,
): string {
  const { failures, residual, not_attempted, notes } = result;
  const applied = gravestApplied(known, LINES);
  return framed({
    title: `Websites result: ${countsText(result)}`,
    digest,
    body: html`${header(result, known.target)}<main>
${counts(result)}${advice(result)}${list(
  `Failed: ${count(failures.length, 'change')}`,
  failureBlocks(unknownFirst(failures), FENCE),
)}${list(
  `Not converged: ${count(residual.length, 'difference')} from what was sent`,
  residualBlocks(residual, FENCE),
)}${effectSections(result).map(({ title, meaning, effects }) =>
  list(
    `${title}: ${meaning}`,
    effects.map((effect) => [effectLine(effect)]),
  ),
)}${list(
  `Not attempted: ${count(not_attempted.length, 'change')}${stoppedText(result)}`,
  not_attempted.map((subject) => [signedName(subject)]),
)}${list(
  'Notes',
  notes.map((note) => [note]),
)}${list(
  `Applied: ${count(known.applied?.length ?? 0, 'change')}`,
  applied.map((change) => [signedName(change)]),
  known.applied?.length,
)}</main>
`,
  });
}

function header(result: Result, target: string | undefined): Html {
  const [tone, text] = verdict(result);
  const facts = [...(target === undefined ? [] : [target]), ...(result.run === null ? [] : [result.run])];
  return html`<header class="top">
<div>
<h1>Websites result</h1>
<p class="meta">${facts.map((fact) => html`<span class="mono">${fact}</span>`)}<span>${costText(result)}</span></p>
</div>
<p class="verdict ${tone}">${text}</p>
</header>
`;
}

function verdict(result: Result): readonly [tone: string, text: string] {
  const { summary, interrupted, converged } = result;
  if (interrupted) return ['bad', 'Interrupted'];
  if (summary.failed + summary.not_attempted > 0) return ['bad', 'Incomplete'];
  if (converged === false) return ['bad', 'Not converged'];
  return ['good', proofOf(result)?.[0] ?? 'Nothing to apply'];
}

function counts({ summary }: Result): Html {
  const done = { create: summary.created, update: summary.updated, delete: summary.deleted };
  const parts = (['create', 'update', 'delete'] as const).map(
    (action) =>
      html`<div class="${action}"><dt>${action}d</dt><dd><span aria-hidden="true">${SIGNS[action]}</span>${done[action]}</dd></div>`,
  );
  const facts = [
    [summary.failed, 'failed'],
    [summary.not_attempted, 'not attempted'],
    [summary.unchanged ?? 0, 'unchanged'],
  ] as const;
  const some = facts.filter(([number]) => number > 0);
  return html`<section class="card" aria-label="Summary">
<dl class="counts">${parts}</dl>
<p class="facts">${some.map(([number, what]) => html`<span><b>${number}</b> ${what}</span>`)}</p>
</section>
`;
}

/** What to believe, and what to do next. */
function advice(result: Result): Html {
  const [verdict, meaning] = proofOf(result) ?? [];
  const goOn = goOnText(result);
  const lines = [
    isNothing(result) ? `${nothingText(result)}.` : undefined,
    verdict === undefined ? undefined : `${verdict}: ${meaning}.`,
    unverifiedText(result),
    goOn,
  ].filter((line) => line !== undefined);
  if (lines.length === 0) return raw('');
  return html`<section aria-label="Verdict"><div class="guard ${goOn === undefined ? 'good' : 'bad'}">${lines.map((line) => html`<p>${line}</p>`)}</div></section>
`;
}

/** Blocks under their title, names alone in columns; nothing where there is none. */
function list(title: string, blocks: readonly (readonly string[])[], total = blocks.length): Html {
  if (blocks.length === 0) return raw('');
  const items = [
    ...blocks.slice(0, LINES),
    ...moreLine(total - Math.min(LINES, blocks.length)).map((line) => [line]),
  ];
  const kind = items.every((lines) => lines.length === 1) ? 'mono names' : 'mono';
  return html`<section class="card"><h2>${title}</h2>
<ul class="${kind}">${items.map(
    ([first = '', ...lines]) => html`<li>${first}${lines.map((line) => html`<p>${line}</p>`)}</li>
`,
  )}</ul></section>
`;
}
