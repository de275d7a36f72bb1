/** Seals of tests that need any. */
import { createSeals } from '../../src/sync/seals.ts';

export const SEALS = createSeals('key', 'https://analytics.example.com');

/** What reads journals that bear them. */
export const TRUST = { seals: SEALS };
