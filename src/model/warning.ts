/** Each has a section in docs/errors.md, which `websites explain` prints. */
export const WARNING_CODES = [
  'domain-shortened',
  'domain-unusual',
  'file-linked',
  'file-pattern-unmatched',
  'invisible-character',
  'password-doubtful',
  'password-in-file',
  'value-unnamed',
  'warnings-omitted',
  'change-not-undone',
  'changes-skipped',
  'domain-in-several-records',
  'id-of-several-domains',
  'list-unconfirmed',
  'password-not-compared',
  'pattern-matches-nothing',
  'prune-skipped',
  'removed-kept',
  'rename-suspected',
  'setting-never-returned',
  'time-never-returned',
  'value-unreadable',
] as const;

export type WarningCode = (typeof WARNING_CODES)[number];

export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
}

export function warn(code: WarningCode, message: string): Warning {
  return { code, message };
}
