/** The reference of environment variables for the docs, from the flags of all commands. */

import { type Flag, variableOf } from '../../src/cli/argv/flags.ts';
import { COMMON_FLAGS } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { markdownTable } from './keys.ts';

/** A Markdown table of the variables that set a flag, by name. Ends in a line end. */
export async function environmentReference(): Promise<string> {
  const loaded = await Promise.all(
    Object.entries(COMMANDS).map(async ([name, { load }]) => ({ name, flags: (await load()).flags })),
  );
  const uses = new Map<string, { flag: string; commands: string[] }>();
  const add = (flag: string, { approval }: Flag, command: string): void => {
    if (approval) return;
    const use = uses.get(variableOf(flag)) ?? { flag, commands: [] };
    use.commands.push(command);
    uses.set(variableOf(flag), use);
  };
  for (const [flag, entry] of Object.entries(COMMON_FLAGS)) add(flag, entry, 'all commands');
  for (const { name, flags } of loaded)
    for (const [flag, entry] of Object.entries(flags)) add(flag, entry, `\`${name}\``);
  const rows = Array.from(uses)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([variable, { flag, commands }]) => [`\`${variable}\``, `\`--${flag}\``, commands.join(', ')]);
  return markdownTable([['variable', 'flag', 'commands'], ...rows]);
}
