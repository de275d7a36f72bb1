import type { Action } from '../../model/change.ts';

/** What stands for an action; a minus, which is as wide as the others. */
export const SIGNS: Readonly<Record<Action, string>> = { create: '+', update: '~', delete: '−' };
