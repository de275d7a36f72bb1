/** The completion script for zsh, to be sourced or to lie in a folder of `fpath`. */
import { quoted } from '../../model/next-command.ts';
import { type CompletableCommand, type CompletableFlag, WHERE } from './model.ts';

export function zshScript(commands: readonly CompletableCommand[]): string {
  return `#compdef websites
# Completion of websites for zsh.

# Offers what the command lists: domains or runs.
_websites_ask() {
  local -a where found
  local index
  for ((index = 1; index < CURRENT; index++)); do
    case $words[index] in
      -f) (( index + 1 < CURRENT )) && where+=(--file=$words[index+1]) ;;
      ${WHERE.join('|')}) (( index + 1 < CURRENT )) && where+=($words[index]=$words[index+1]) ;;
      ${WHERE.map((flag) => `${flag}=*`).join('|')}) where+=($words[index]) ;;
    esac
  done
  # As the command would get them: without quotes, and with the home folder.
  where=(\${(Q)where})
  where=("\${(@)where/=\\~\\//=$HOME/}")
  found=(\${(f)"$(websites completion $1 $where -- "$PREFIX" 2>/dev/null)"})
  compadd -a found
}

_websites_report() {
  compadd -S '' -- "$@"
  _files
}

_websites() {
  local state line curcontext=$curcontext
  local -a commands
  commands=(
${commands.map(({ name, describe }) => `    ${quoted(`${name}:${describe}`)}`).join('\n')}
  )
  _arguments -C '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument)
      case $words[1] in
${commands.map(commandCase).join('\n')}
      esac
      ;;
  esac
}

if [[ $funcstack[1] == _websites ]]; then
  _websites "$@"
else
  compdef _websites websites
fi
`;
}

function commandCase(command: CompletableCommand): string {
  const { name, flags } = command;
  const specs = [...flags.map(flagSpec), ...argumentSpecs(command)];
  return `        ${name})\n          _arguments ${specs.map((spec) => `\\\n            ${spec}`).join(' ')}\n          ;;`;
}

function argumentSpecs({ subcommands, takes }: CompletableCommand): string[] {
  if (subcommands.size === 0) return takes === undefined ? [] : [`'*:${takes}:${ACTIONS[takes]}'`];
  const further = [...subcommands].flatMap(([first, seconds]) =>
    seconds.length > 0 ? [`${first}) compadd ${seconds.join(' ')} ;;`] : [],
  );
  const files = takes === 'file' ? ['*) _files ;;'] : [];
  const second = `'2:argument:{ case $words[2] in ${[...further, ...files].join(' ')} esac }'`;
  return [`'1:subcommand:(${[...subcommands.keys()].join(' ')})'`, ...(further.length > 0 ? [second] : [])];
}

// After a space, an action gets no arguments but its own.
const ACTIONS = {
  text: ' ',
  file: '_files',
  folder: '_files -/',
  domain: ' _websites_ask domains',
  group: ' _websites_ask groups',
  run: ' _websites_ask runs',
  target: ' _websites_ask targets',
  report: ' _websites_report',
} as const;

function actionOf(takes: Exclude<CompletableFlag['takes'], 'nothing'>, choices: string): string {
  if (takes === 'choices') return `(${choices})`;
  return takes === 'report' ? `${ACTIONS.report} ${choices}` : ACTIONS[takes];
}

function flagSpec(flag: CompletableFlag): string {
  const { name, alias, describe, isRepeatable, takes, choices } = flag;
  const action = takes === 'nothing' ? '' : `:value:${actionOf(takes, choices.join(' '))}`;
  const told = quoted(`[${describe.replaceAll(/[[\]:\\]/g, '\\$&')}]${action}`);
  const star = isRepeatable ? '*' : '';
  const long = takes === 'nothing' ? `--${name}` : `--${name}=`;
  if (alias === undefined) return `'${star}${long}'${told}`;
  const once = isRepeatable ? '*' : `(-${alias} --${name})`;
  return `'${once}'{-${alias},${long}}${told}`;
}
