/** A plan with all that carrying it out needs. */
import type { Lock } from '../apply/lock.ts';
import type { Learned, Replan } from '../apply/verify.ts';
import type { Config } from '../config/load.ts';
import type { SecretResolver } from '../config/secrets.ts';
import type { Plan, PlanOptions } from '../core/plan.ts';
import type { Connection } from './connect.ts';
import { replan, replanAlone } from './plan.ts';

export interface Work {
  readonly plan: Plan;
  readonly root: string;
  readonly secrets: SecretResolver;
  readonly connection: Connection;
  readonly lock: Lock;
  /** Lists and plans anew, for the proof. */
  readonly replan: (learned: Learned) => Promise<Replan>;
}

/** The work of a plan that was just made from the files, with `options`. */
export function workOfFiles(
  plan: Plan,
  config: Config,
  options: PlanOptions,
  connection: Connection,
  lock: Lock,
): Work {
  const { root, secrets } = config;
  const again = (learned: Learned) => replan(config, connection, options, learned);
  return { plan, root, secrets, connection, lock, replan: again };
}

/** The work of a plan that stands by itself: what it says is what is proven. */
export function workAlone(
  plan: Plan,
  { root, secrets }: Pick<Config, 'root' | 'secrets'>,
  connection: Connection,
  lock: Lock,
): Work {
  const again = (learned: Learned) => replanAlone(plan, connection, learned);
  return { plan, root, secrets, connection, lock, replan: again };
}
