/** What commands and flags are called in Terraform, kubectl, decK, octoDNS and DNSControl: whoever types one means ours. */

const COMMANDS: ReadonlyMap<string, string> = new Map([
  ['diff', 'plan'],
  ['preview', 'plan'],
  ['sync', 'apply'],
  ['push', 'apply'],
  ['dump', 'export'],
  ['refresh', 'drift'],
  ['status', 'drift'],
  ['rollback', 'undo'],
  ['lint', 'validate'],
  ['check', 'validate'],
  ['destroy', 'undo'],
  ['history', 'runs'],
  ['ls', 'list'],
  ['get', 'list'],
]);

const FLAGS: ReadonlyMap<string, string> = new Map([
  ['yes', 'auto-approve'],
  ['y', 'auto-approve'],
  ['force', 'auto-approve'],
  ['json', 'format json'],
  ['o', 'format'],
  ['output', 'format'],
  ['doit', 'auto-approve'],
  ['config', 'file'],
]);

export function commandMeant(word: string): string | undefined {
  return COMMANDS.get(word);
}

/** One of `names` that is meant by `word`. */
export function flagMeant(word: string, names: readonly string[]): string | undefined {
  const meant = FLAGS.get(word);
  return meant !== undefined && names.includes(meant.split(' ')[0] ?? '') ? meant : undefined;
}
