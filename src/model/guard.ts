export const GUARD_CODES = [
  'empty',
  'deletes',
  'updates',
  'duplicates',
  'protected',
  'incomplete',
  'drift',
] as const;

export type GuardCode = (typeof GUARD_CODES)[number];

export interface Guard {
  readonly code: GuardCode;
  readonly message: string;
  readonly remedy: string;
  readonly approved: boolean;
}

export interface Approvals {
  readonly empty: boolean;
  readonly deletes?: number | undefined;
  readonly updates?: number | undefined;
}
