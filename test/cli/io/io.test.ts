import { expect, onTestFinished, test, vi } from 'vitest';
import { tellLostOutput } from '../../../src/cli/io/io.ts';

test.each(['EPIPE', 'ECONNRESET'])('a reader that went away (%s) is told to nobody', (code) => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => write.mockRestore());
  tellLostOutput(Object.assign(new Error('it broke'), { code }));
  expect(write).not.toHaveBeenCalled();
});
