/** Asking a person. */
import { createInterface } from 'node:readline/promises';
import { WebsitesError } from '../core/errors.ts';
import type { Io } from './io.ts';

/**
 * Returns when the person answered `yes`. Throws `approval-missing` for any other answer, and where
 * nobody can be asked.
 */
export async function ask(question: string, io: Io): Promise<void> {
  const remedy = 'Nothing was changed. Say --auto-approve to apply without a question.';
  if (!io.canAsk) throw new WebsitesError('approval-missing', 'There is no terminal to ask at.', { remedy });
  const reader = createInterface({ input: io.stdin, output: process.stderr });
  try {
    const answer = await reader.question(`\n${question} Only "yes" is taken for a yes: `);
    if (answer.trim() === 'yes') return;
  } finally {
    reader.close();
  }
  throw new WebsitesError('approval-missing', 'The answer was not "yes".', {
    remedy: 'Nothing was changed.',
  });
}
