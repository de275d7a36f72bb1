import { EXIT } from '../../core/errors.ts';
import { LOG_FORMATS } from '../../service/log.ts';
import { defineCommand } from '../command.ts';
import { didYouMean, usageError } from '../flags.ts';
import { databaseOf, serveUntilStopped } from '../serve.ts';

export default defineCommand({
  positional: '[keys create NAME | keys list | keys revoke NAME|ID | backup FILE]',
  subcommands: ['keys create', 'keys list', 'keys revoke', 'backup'],
  flags: {
    port: { type: 'number', describe: 'Port; 0 takes a free one', default: '8080' },
    host: { type: 'string', describe: 'Address to listen on', default: '127.0.0.1' },
    db: {
      type: 'string',
      completes: 'file',
      describe: 'SQLite file, or postgres://HOST/NAME; an address with a password only in the variable',
      default: 'websites.db',
    },
    'api-key-file': {
      type: 'string',
      completes: 'file',
      describe:
        'File with a key to let in; else it is WEBSITES_API_KEY, or made beside a database without keys',
    },
    'rate-limit': { type: 'number', describe: 'Requests a minute for each key; 0: no limit', default: '0' },
    'max-connections': { type: 'number', describe: 'Connections open at a time', default: '1000' },
    log: {
      type: 'string',
      choices: LOG_FORMATS,
      describe: 'A line on standard error for each request; failures of the service are always told',
      default: 'none',
    },
    out: {
      type: 'string',
      completes: 'file',
      writes: true,
      describe: 'For "keys create": the new file that the key goes to',
    },
  },
  examples: [
    ['websites serve', 'on http://127.0.0.1:8080, records in websites.db'],
    ['websites serve --port 0 --db /tmp/try.db', 'on a free port'],
    ['websites serve keys create ci --out ci.key', 'let a new key in, also while the service runs'],
    ['websites serve keys revoke ci', 'shut it out, at once'],
    ['websites serve backup copy.db', 'copy the database while the service runs'],
  ],
  async run(flags, io, args) {
    const [what, ...rest] = args;
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
