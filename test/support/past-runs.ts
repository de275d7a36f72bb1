/** A killed earlier run, to derive others from. */
import type { PastRun } from '../../src/model/run.ts';

export const KILLED_RUN: PastRun = {
  run: 'A',
  at: '2026-11-20T09:30:00Z',
  service: { base_url: 'https://a.example' },
  planned: { create: 2, update: 0, delete: 1 },
};
