import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { Io } from '../../../src/cli/io/io.ts';
import { ask } from '../../../src/cli/io/prompt.ts';
import { BARE_IO } from '../../support/io.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Asks for confirmation, and types `keys` as the answer; `ends` closes the terminal after that. */
function askTyping(keys: string, ends = false, stdin = new PassThrough()): Promise<void> {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  stdin.write(keys);
  if (ends) stdin.end();
  return ask('Apply?', { ...BARE_IO, stdin: stdin as unknown as Io['stdin'], canAsk: true });
}

test.each(['yes\r', ' yes \r'])('the confirmation prompt accepts %j as yes', async (keys) => {
  await expect(askTyping(keys)).resolves.toBeUndefined();
});

test.each(['no\r', 'y\r', 'YES\r', '\r', '\u0004'])('the prompt treats %j as no', async (keys) => {
  await expect(askTyping(keys)).rejects.toMatchObject({ code: 'approval-missing', exit: 1 });
});

test('the confirmation prompt treats a closed terminal as no', async () => {
  await expect(askTyping('ye', true)).rejects.toMatchObject({ code: 'approval-missing', exit: 1 });
});

test('the confirmation prompt still accepts an answer after Ctrl-Z and "fg"', async () => {
  const stop = vi.spyOn(process, 'kill').mockReturnValue(true);
  const stdin = new PassThrough();
  const asked = askTyping('\u001a', false, stdin);
  await vi.waitFor(() => expect(stop).toHaveBeenCalledWith(process.pid, 'SIGTSTP'));
  process.emit('SIGCONT');
  stdin.write('yes\r');
  expect(await Promise.race([asked, delay(500, 'not heard')])).toBeUndefined();
});

test('Ctrl-C at the confirmation prompt interrupts the command', async () => {
  await expect(askTyping('ye\u0003')).rejects.toMatchObject({
    code: 'interrupted',
    exit: 130,
    message: 'Interrupted. Nothing was changed.',
  });
});
