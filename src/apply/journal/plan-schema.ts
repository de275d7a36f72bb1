/** The plan in a journal: of this version, and with the digest that it must bear. */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { type Plan, planDigest } from '../../core/plan.ts';
import { PLAN } from '../../core/plan-file.ts';

export const WRITTEN_PLAN: z.ZodMiniType<Plan> = PLAN.check(
  z.refine((plan) => planDigest(plan, sha256) === plan.digest, 'its digest does not fit: it was altered'),
);

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
