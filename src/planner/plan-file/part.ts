/** What one run carries out of a saved plan (decision: "Shards are parts of one saved plan"). */
import type { Change } from '../../model/change.ts';
import { WebsitesError } from '../../model/errors.ts';
import type { Digest, Plan } from '../../model/plan.ts';
import type { Seals } from '../../model/seal.ts';
import { inShard, type PlanPart, shardOf } from '../../model/shard.ts';
import { applyRequestsOf, countByAction } from '../changes.ts';
import { planDigest } from './write.ts';

/**
 * The part as a plan of its own, with a digest and a seal, so that it is journaled, resumed and undone as any plan is.
 * Its guards are those of the whole. Throws `usage` where the deletes of the whole must come first.
 */
export function partOf(whole: Plan, which: PlanPart, digest: Digest, seals: Seals): Plan {
  const { digest: of, seal: _, options, cost, summary, ...rest } = whole;
  if (options.deletes_first && summary.delete > 0) throw deletesFirst();
  const changes = whole.changes.filter(isIn(which));
  const requests = applyRequestsOf(changes, options.update, cost.list);
  const shard = shardOf(which);
  const part: Omit<Plan, 'digest'> = {
    ...rest,
    options: { ...options, ...(shard === undefined ? {} : { shard }) },
    part: { of, ...(which === 'deletes' ? { creates: createdIn(whole) } : {}) },
    changes,
    summary: { ...countByAction(changes), unchanged: 0, orphan: 0, ignored: 0 },
    orphans: [],
    warnings: [],
    cost: {
      ...cost,
      requests,
      seconds: cost.seconds === null ? null : Math.ceil((cost.seconds * requests) / (cost.requests || 1)),
    },
  };
  const own = planDigest(part, digest);
  return { ...part, digest: own, seal: seals.of('plan', own) };
}

function isIn(which: PlanPart): (change: Change) => boolean {
  if (which === 'deletes') return ({ action }) => action === 'delete';
  const isOurs = inShard(which);
  return ({ action, domain }) => action !== 'delete' && isOurs(domain);
}

function createdIn({ changes }: Plan): readonly string[] {
  return changes.flatMap(({ action, domain }) => (action === 'create' ? domain : []));
}

function deletesFirst(): WebsitesError {
  return new WebsitesError(
    'usage',
    'The plan was made with --deletes-first, and shards are applied before deletes.',
    { remedy: 'Apply the whole plan, without --shard, or plan again without --deletes-first.' },
  );
}
