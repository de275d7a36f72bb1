// @ts-check
/**
 * Applies a plan by itself when it is small and deletes nothing; prints anything else for a person to decide.
 *
 *     node apply-small.mjs [MOST-CHANGES]
 */
import { apply, load, plan, renderPlan, renderResult, WebsitesError } from 'websites-as-code';

const most = Number(process.argv[2] ?? 10);

try {
  const configuration = await load();
  for (const { message } of configuration.warnings) console.error(`Warning: ${message}`);

  const made = await plan(configuration);
  const isSmall = made.changes.length <= most && made.summary.delete === 0;
  if (!isSmall) {
    process.stdout.write(await renderPlan(made, 'markdown'));
    process.exitCode = 2;
  } else {
    const { result, exitCode } = await apply(configuration, made, {
      onEvent: (event) => {
        if (event.type === 'change_failed') console.error(`${event.domain}: ${event.message}`);
      },
    });
    process.stdout.write(await renderResult(result, 'human'));
    process.exitCode = exitCode;
  }
} catch (error) {
  if (!(error instanceof WebsitesError)) throw error;
  console.error(`${error.message}${error.remedy === undefined ? '' : ` ${error.remedy}`}`);
  process.exitCode = error.exit;
}
