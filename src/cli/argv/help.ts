import { hang, pad, widestOf } from '../../report/text.ts';
import { COMMAND_GROUPS, COMMANDS, type Command } from '../commands.ts';
import { flagsIn, isApproval, type Option, optionsOf, placeholderOf, variableOf } from '../options.ts';

const MAX_WIDTH = 80;
/** The longest flag or example with its text on the same line. */
const MAX_LABEL = 44;

export function overview(width: number): string {
  const column = widestOf(Object.keys(COMMANDS)) + 2;
  const line = ([name, { about }]: readonly [string, Command]): string =>
    `  ${pad(name, column)}${about}`.slice(0, Math.max(width, 60));
  return [
    'Manage website records as code: declare them in websites.yaml, preview every',
    'change with "websites plan", and update the service with "websites apply".',
    '',
    'Usage: websites COMMAND [flags]',
    ...Object.entries(COMMAND_GROUPS).flatMap(([group, commands]) => [
      '',
      `${group}:`,
      ...Object.entries(commands).map(line),
    ]),
    '',
    'Run "websites COMMAND --help" for its flags and examples.',
    'In a clone where it is not installed, run "npx --no websites" instead.',
    '',
  ].join('\n');
}

export function commandHelp(name: string, { about, positional, examples }: Command, width: number): string {
  const flags = Object.values(flagsIn(optionsOf(name)));
  const usage = ['websites', name, positional, flags.length > 0 ? '[flags]' : undefined].filter(Boolean);
  const groups = [...new Set(flags.map(({ group }) => group))];
  const rows = (group: string) => flags.filter((flag) => flag.group === group).map(flagRow);
  const most = Math.min(width, MAX_WIDTH);
  const [some] = flags.filter((flag) => !isApproval(flag));
  const sections = [
    [about],
    [`Usage: ${usage.join(' ')}`],
    ...groups.map((group) => [`${group}:`, ...tableLines(rows(group), most)]),
    ['Examples:', ...tableLines(examples, most)],
    some ? [`Environment variables set flags too: ${variableOf(some.name)} is --${some.name}.`] : [],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n`)
    .join('\n');
}

function flagRow(option: Option): readonly [label: string, text: string] {
  const { name, about, alias, choices, default: standard } = option;
  const label = [alias ? `-${alias},` : '   ', `--${name}`, placeholderOf(option)].filter(Boolean).join(' ');
  const values = choices === undefined ? '' : `: ${choices.join(', ')}`;
  return [label, `${about}${values}${standard === undefined ? '' : ` (default: ${standard})`}`];
}

/** Labels are never wrapped: users copy examples. */
function tableLines(rows: readonly (readonly [label: string, text: string])[], width: number): string[] {
  const isLong = (label: string): boolean => label.length > MAX_LABEL;
  const column = widestOf(rows.map(([label]) => label).filter((label) => !isLong(label))) + 2;
  return rows.flatMap(([label, text]) =>
    isLong(label) ? [`  ${label}`, `      ${text}`] : hang(`  ${pad(label, column)}`, text, width),
  );
}
