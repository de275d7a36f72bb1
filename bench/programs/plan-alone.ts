/** Loads the files, lists and plans like `websites plan`, and shows nothing. */
import { loadConfig } from '../../src/config/load.ts';
import { factText } from '../../src/report/facts.ts';
import { connect } from '../../src/sync/connect.ts';
import { makePlan } from '../../src/sync/plan.ts';

const [parallelism] = process.argv.slice(2);
const { env, stdin } = process;
const config = await loadConfig({ patterns: [], cwd: process.cwd(), env, stdin });
const connection = await connect({
  pins: config.pins,
  root: config.root,
  key: async () => env.WEBSITES_API_KEY ?? '',
  parallelism: Number(parallelism),
  env,
  factText,
});
const rules = {
  prune: false,
  www: 'distinct' as const,
  update: 'auto' as const,
  domain: [],
  exclude: [],
  resend_passwords: false,
  allow: { empty: false, updates: config.desired.websites.length },
};
await makePlan({ config, rules }, connection);
await connection.close();
