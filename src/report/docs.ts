/** Where the documentation explains what went wrong. */

import type { ErrorCode } from '../model/errors.ts';
import type { GuardCode } from '../model/guard.ts';
import type { WarningCode } from '../model/warning.ts';

/** What has a paragraph there; `bug` is everything that nobody foresaw. */
export type DocsCode = ErrorCode | WarningCode | `guard-${GuardCode}` | 'bug';

/** The folder of the pages, as the package has it: the one place for another base. */
const DOCS = 'docs/';

/** The address of the paragraph about `code`. */
export function docsAddress(code: DocsCode): string {
  return `${DOCS}errors.md#${code}`;
}
