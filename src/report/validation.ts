import type { Problem } from '../model/errors.ts';
import { jsonDocument } from './json.ts';
import { prose } from './sanitize.ts';
import { count } from './words.ts';

export const VALIDATION_FORMAT = 'websites.validation/1';

export interface ValidFiles {
  readonly target: string | undefined;
  readonly files: readonly string[];
  readonly websites: number;
}

export function validHuman(all: readonly ValidFiles[]): string {
  const line = ({ target, files, websites }: ValidFiles): string => {
    const names = files.map((file) => prose(file)).join(', ');
    return `Valid: ${target === undefined ? '' : `${target}: `}${count(websites, 'website')} in ${names}.\n`;
  };
  return all.map(line).join('');
}

export function validationJson(
  all: readonly (ValidFiles & { readonly records: readonly unknown[] })[],
  warnings: readonly Problem[],
): string {
  const valid = all.map(({ target = null, files, websites, records }) => ({
    ...{ target, files, websites, records },
  }));
  return jsonDocument({ format: VALIDATION_FORMAT, valid, warnings });
}
