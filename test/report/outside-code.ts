const MARKUP =
  /^(?:<!-- websites-as-code:(?:plan|result) -->|<details><summary>Show more<\/summary>|<\/details>|---|\|(?: --- \|)+|> \[!(?:NOTE|WARNING|CAUTION)\])$/;
const WORDS =
  /^(?:#{2,3} |- |<sub>|\| \*\*\w+\*\* (?=\|))?(?:> )?(?:\*\*[A-Za-z ()]+:\*\*)?[A-Za-z\d\s"'().,;:?%→×…·|-]*(?:<\/sub>)?$/;

/** Lines with markup that no renderer writes. */
export function foreignMarkup(markdown: string): string[] {
  return outsideCode(markdown)
    .split('\n')
    .filter((line) => !MARKUP.test(line) && !WORDS.test(line));
}

/** Removes code from Markdown by the rules of CommonMark, independently of src. */
export function outsideCode(markdown: string): string {
  const kept: string[] = [];
  let fence: string | undefined;
  for (const line of markdown.split('\n')) {
    const ticks = /^ {0,3}(`{3,})([^`]*)$/.exec(line);
    if (fence === undefined && ticks) fence = ticks[1] ?? '';
    else if (fence === undefined) kept.push(line);
    else if (ticks && (ticks[1] ?? '').length >= fence.length && ticks[2]?.trim() === '') fence = undefined;
  }
  return kept.map(withoutSpans).join('\n');
}

function withoutSpans(line: string): string {
  let rest = line;
  let kept = '';
  for (;;) {
    const open = /`+/.exec(rest);
    if (open === null) return kept + rest;
    const after = rest.slice(open.index + open[0].length);
    const close = [...after.matchAll(/`+/g)].find(([run]) => run.length === open[0].length);
    kept += rest.slice(0, open.index) + (close === undefined ? open[0] : '');
    rest = close === undefined ? after : after.slice(close.index + open[0].length);
  }
}
