import { setFlagsFromString } from 'node:v8';
import { EXIT, type ExitCode } from '../model/errors.ts';
import { keepKey } from '../util/key-filter.ts';
import { parseCommandLine } from './argv/parse.ts';
import { installInterrupts } from './io/interrupt.ts';
import { type Io, processIo, withOwn } from './io/io.ts';
import type { Flags } from './options.ts';
import { withProgress } from './progress/progress.ts';

export function start(argv: readonly string[]): Promise<ExitCode> {
  // Users cannot fix deprecated calls in libraries.
  process.noDeprecation = true;
  // Node 20 compiles WebAssembly a second time to optimize it, and waits for that when it exits. For undici's parser
  // this takes longer than most commands (bench/performance.md). Later versions optimize only code that runs often.
  if (process.version.startsWith('v20.')) setFlagsFromString('--liftoff-only');
  const io = withProgress(processIo());
  keepKey(io.env.WEBSITES_API_KEY?.trim() ?? '');
  installInterrupts(io);
  return runCommand(argv, io);
}

/** Runs the command in `argv` and returns its exit code. Every error has already been shown. */
export async function runCommand(argv: readonly string[], outer: Io): Promise<ExitCode> {
  let hasPrinted = false;
  const out = (text: string): void => {
    hasPrinted = true;
    outer.out(text);
  };
  const io = withOwn(outer, { out });
  try {
    if (argv[0] === '__complete') {
      const { complete } = await import('./complete.ts');
      for (const line of await complete(argv.slice(1), io)) io.out(`${line}\n`);
      return EXIT.done;
    }
    const parsed = await parseCommandLine(argv, io);
    if ('help' in parsed) {
      io.out(parsed.help);
      return EXIT.done;
    }
    const { command, flags, args, nextFlags } = parsed;
    if ('quiet' in flags) {
      const { quiet = false, verbose = false, format } = flags as Flags<'apply'>;
      await io.progress?.begin({ quiet, verbose, streams: format === 'ndjson' });
    }
    try {
      // The key of COMMANDS is the name of the file.
      const { default: run } = await import(`./commands/${command}.ts`);
      return (await run(flags, withOwn(io, { nextFlags }), args)) ?? EXIT.done;
    } finally {
      io.progress?.end();
    }
  } catch (error) {
    const { addToSummary } = await import('./io/documents.ts');
    await addToSummary(io, async () => {
      const { errorDocument } = await import('../report/errors.ts');
      const { markdownText } = await import('../report/media/markdown.ts');
      return markdownText(errorDocument(error));
    });
    const at = argv.findIndex((word) => /^--format(?:=|$)/.test(word));
    const format = argv[at]?.split('=')[1] ?? (at < 0 ? io.env.WEBSITES_FORMAT : argv[at + 1]);
    const { showError } = await import('./io/error.ts');
    return showError(error, { format, hasPrinted }, io);
  }
}
