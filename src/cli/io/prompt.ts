import { WebsitesError } from '../../model/errors.ts';
import { withoutKeys } from '../../util/key-filter.ts';
import type { Io } from './io.ts';

const INTERRUPT = Symbol('Ctrl-C');

/** Throws `approval-missing` for every other answer than `yes`, and `interrupted` for Ctrl-C. */
export async function ask(question: string, io: Io): Promise<void> {
  if (!io.canAsk)
    throw new WebsitesError('approval-missing', 'Cannot ask for confirmation: no interactive terminal.', {
      remedy: 'No changes were made. Pass --auto-approve to skip the prompt.',
    });
  const { createInterface } = await import('node:readline');
  const reader = createInterface({ input: io.stdin, output: process.stderr, terminal: true });
  const answer = await new Promise<string | typeof INTERRUPT | undefined>((resolve) => {
    // While the question is open, Ctrl-C arrives as a key and not as a signal.
    reader.once('SIGINT', () => resolve(INTERRUPT));
    // Happens at Ctrl-D, and if the terminal is closed.
    reader.once('close', () => resolve(undefined));
    // After Ctrl-Z the terminal is no longer read. Without this, the process would end when it continues.
    reader.on('SIGCONT', () => reader.resume());
    reader.question(withoutKeys(`\n${question} Type "yes" to confirm: `), resolve);
  });
  reader.close();
  if (typeof answer !== 'string') io.err('\n');
  if (answer === INTERRUPT) throw new WebsitesError('interrupted', 'Interrupted. Nothing was changed.');
  if (answer?.trim() !== 'yes')
    throw new WebsitesError('approval-missing', 'The answer was not "yes". Nothing was changed.', {
      remedy: 'Run the command again, and type "yes" if you agree.',
    });
}
