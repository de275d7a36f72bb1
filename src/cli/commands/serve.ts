import { EXIT } from '../../core/errors.ts';
import { defineCommand } from '../command.ts';
import { didYouMean, usageError, variableOf } from '../flags.ts';
import { databaseOf, SERVE_FLAGS, serveUntilStopped } from '../serve.ts';

export default defineCommand({
  positional: '[keys create NAME | keys list | keys revoke NAME|ID | backup FILE]',
  subcommands: ['keys create', 'keys list', 'keys revoke', 'backup'],
  flags: SERVE_FLAGS,
  examples: [
    ['websites serve', 'on http://127.0.0.1:8080, records in websites.db'],
    ['websites serve --port 0 --db /tmp/try.db', 'on a free port'],
    ['websites serve keys create ci --out ci.key', 'let a new key in, also while the service runs'],
    ['websites serve keys revoke ci', 'shut it out, at once'],
    ['websites serve backup copy.db', 'copy the database while the service runs'],
  ],
  async run(flags, io, args) {
    const [what, ...rest] = args;
    if (flags.out !== undefined && !(what === 'keys' && rest[0] === 'create')) {
      throw usageError(`--out (${variableOf('out')}) is for "serve keys create" alone.`, 'Leave it out.');
    }
    if (what === undefined) {
      await serveUntilStopped(flags, io);
      return EXIT.done;
    }
    if (what === 'keys') {
      const { runKeys } = await import('./serve-keys.ts');
      return runKeys(rest, databaseOf(flags.db, io), flags.out, io);
    }
    if (what === 'backup') {
      const { runBackup } = await import('./serve-backup.ts');
      return runBackup(rest, databaseOf(flags.db, io), io);
    }
    throw usageError(
      `"websites serve" has nothing called ${JSON.stringify(what)}.`,
      `${didYouMean(what, ['keys', 'backup'])}It has "keys" and "backup"; without either it serves.`,
    );
  },
});
