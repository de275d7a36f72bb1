/** Colour and weight, by meaning. They help the eye and carry nothing: the text alone says it all. */

type Paint = (text: string) => string;

export interface Style {
  readonly add: Paint;
  readonly change: Paint;
  readonly remove: Paint;
  readonly good: Paint;
  readonly warn: Paint;
  readonly bad: Paint;
  readonly strong: Paint;
  readonly dim: Paint;
}

const asIs: Paint = (text) => text;

/** Leaves every text as it is. */
export const plain: Style = {
  add: asIs,
  change: asIs,
  remove: asIs,
  good: asIs,
  warn: asIs,
  bad: asIs,
  strong: asIs,
  dim: asIs,
};

/** Wraps a text in "select graphic rendition" sequences (ECMA-48, 8.3.117). They do not nest. */
function sgr(code: number): Paint {
  return (text) => (text === '' ? '' : `\x1b[${code}m${text}\x1b[0m`);
}

const [RED, GREEN, YELLOW, BOLD, FAINT] = [31, 32, 33, 1, 2];

export const ansi: Style = {
  add: sgr(GREEN),
  change: sgr(YELLOW),
  remove: sgr(RED),
  good: sgr(GREEN),
  warn: sgr(YELLOW),
  bad: sgr(RED),
  strong: sgr(BOLD),
  dim: sgr(FAINT),
};
