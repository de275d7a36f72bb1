import { COMMANDS } from '../../src/cli/commands.ts';
import { optionsOf, variableOf } from '../../src/cli/options.ts';
import { markdownTable } from './keys.ts';

type Row = readonly [variable: string, meaning: string, standard: string];

const CREDENTIALS: readonly Row[] = [
  [
    'WEBSITES_API_KEY',
    'The API key. It has no flag, because other users of a machine can read arguments',
    '',
  ],
  ['WEBSITES_API_KEY_NAME', 'The API key of target `name`: upper case, `_` for `-`', ''],
  ['WEBSITES_BASE_URL_NAME', 'The service URL of target `name`', ''],
];

const OF_OTHERS: readonly Row[] = [
  ['HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY', 'The proxy, and the hosts and networks reached without it', ''],
  ['NODE_EXTRA_CA_CERTS', 'A file with your own certificate authority', ''],
  [
    'NO_COLOR`, `FORCE_COLOR',
    'Color of the output: `NO_COLOR=1` without, `FORCE_COLOR=1` with',
    'on a terminal',
  ],
  ['TERM', '`dumb`: no color and no progress bar', ''],
  ['CI', 'No prompt and no progress bar. Unless standard output is a file, it is escaped for the log', ''],
  ['GITHUB_STEP_SUMMARY', 'A file to which plans, results, and errors are also written', ''],
  ['GITHUB_ACTOR`, `GITLAB_USER_LOGIN', 'Plans and runs record [who made them](recovery.md#who-made-it)', ''],
];

/** Returns environment variables that set no flag, as a Markdown table with a final line end. */
export function environmentReference(): string {
  const settings = new Map<string, Row>();
  for (const { name, about, group, default: standard = '' } of Object.keys(COMMANDS).flatMap((command) =>
    optionsOf(command),
  )) {
    if (group === 'Variables') settings.set(name, [variableOf(name), about, standard]);
  }
  const rows = [...CREDENTIALS, ...[...settings.values()].sort(), ...OF_OTHERS];
  return markdownTable([
    ['variable', 'meaning', 'default'],
    ...rows.map(([variable, meaning, standard]) => [`\`${variable}\``, meaning, standard]),
  ]);
}
