import { EXIT, type ExitCode, exitOf } from '../../model/errors.ts';
import { type NextFlags, nextFlagsOf, scopeFlags, shellWord } from '../../model/next-command.ts';
import type { Plan } from '../../model/plan.ts';
import { refusals } from '../../planner/guards.ts';
import { PLAN_FORMATS } from '../../report/formats.ts';
import { planAt } from '../../sync/plan.ts';
import { publish, showPlan } from '../io/documents.ts';
import type { CommandMain } from '../options.ts';
import { prepare } from '../settings.ts';

export default (async (flags, io) => {
  const withOrphans = flags.failOnOrphans ?? false;
  const { planning, settings } = await prepare(flags, io);
  const plan = await planAt(settings, { ...planning, readOnly: true });
  // As text, the document is shown only if there are differences. Other formats always get it.
  const code = exitOfDrift(plan, withOrphans);
  const here = { drift: { withOrphans, ...nextOf(plan, io.nextFlags) } };
  if (code !== EXIT.done || (flags.format ?? 'human') !== 'human') await showPlan(plan, flags, io, here);
  else await publish(plan, PLAN_FORMATS, { ...here, report: flags.report, summary: false }, io);
  return code;
}) satisfies CommandMain<'drift'>;

/**
 * A plan without changes does not show that nothing differs if a guard blocks it, the list is incomplete, or domains
 * were not compared.
 */
function exitOfDrift({ changes, orphans, guards, warnings, complete }: Plan, withOrphans: boolean): ExitCode {
  const differs = changes.length > 0 || (withOrphans && orphans.length > 0);
  const isPartial = warnings.some(({ code }) => code === 'id-of-several-domains');
  const isUncertain = isPartial || refusals(guards).length > 0 || (withOrphans && !complete);
  return exitOf({ changes: differs, guard: isUncertain && !differs });
}

/** Returns the commands to run next. That of `export` omits --group and --exclude, which it does not have. */
function nextOf(plan: Plan, nextFlags: NextFlags) {
  const { domain, since } = plan.options;
  const [file = 'FILE', ...others] = plan.config.files.map(({ path }) => shellWord(path));
  const into = others.length === 0 ? file : 'FILE';
  const { selection } = nextFlagsOf({ domain, since });
  return {
    revert: `websites apply${scopeFlags(plan.service, nextFlags)}${nextFlags.selection}`,
    accept: `websites export --into ${into} --update${scopeFlags(plan.service, { ...nextFlags, files: '' })}${selection}`,
  };
}
