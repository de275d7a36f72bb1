/** HTML by construction: whatever is put into a template is text, unless it is HTML already. */
import { escapeHtml } from '../../util/html.ts';
import { prose } from '../sanitize.ts';

export interface Html {
  readonly markup: string;
}

type MarkupPart = Html | readonly Html[] | string | number;

/** A template whose values are escaped, in text and in quoted attributes alike. */
export function html(strings: TemplateStringsArray, ...parts: readonly MarkupPart[]): Html {
  const markup = strings.map(
    (string, index) => string + (index < parts.length ? markupOf(parts[index]) : ''),
  );
  return { markup: markup.join('') };
}

/** Text of ours that is markup as it stands. */
export function raw(markup: string): Html {
  return { markup };
}

function markupOf(part: MarkupPart = ''): string {
  if (typeof part === 'string') return escapeHtml(prose(part));
  if (typeof part === 'number') return String(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}
