/** HTML by construction: whatever is put into a template is escaped, unless it is HTML already. */
import type { Text } from '../sanitize.ts';

export interface Html {
  readonly markup: string;
}

/** A template; its values are escaped, in text and in quoted attributes alike. */
export function html(
  strings: TemplateStringsArray,
  ...parts: readonly (Html | readonly Html[] | Text | number)[]
): Html {
  return { markup: strings.reduce((markup, string, index) => markup + markupOf(parts[index - 1]) + string) };
}

/** Text of ours that is markup as it stands. */
export function raw(markup: string): Html {
  return { markup };
}

function markupOf(part: Html | readonly Html[] | Text | number = 0): string {
  if (typeof part === 'string') return escapeHtml(part);
  if (typeof part === 'number') return String(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
