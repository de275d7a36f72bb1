/** The completion script for zsh, to be sourced or to lie in a folder of `fpath`. */
import { quoted } from '../../model/next-command.ts';
import type { CompletableCommand, CompletableFlag } from './model.ts';

export function zshScript(commands: readonly CompletableCommand[]): string {
  return `#compdef websites
# Completion of websites for zsh.

_websites_domains() {
  local -a files found
  local index
  for ((index = 1; index < CURRENT; index++)); do
    case $words[index] in
      -f|--file) files+=($words[index+1]) ;;
      --file=*) files+=(\${words[index]#--file=}) ;;
    esac
  done
  # As the command would get them: without quotes, and with the home folder.
  files=(\${(Q)files})
  files=(\${files/#\\~\\//$HOME/})
  found=(\${(f)"$(websites completion domains \${files/#/--file=} -- "$PREFIX" 2>/dev/null)"})
  compadd -a found
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

function commandCase({ name, flags, subcommands, takesFiles }: CompletableCommand): string {
  const specs = [...flags.map(flagSpec), ...argumentSpecs(subcommands, takesFiles)];
  return `        ${name})\n          _arguments ${specs.map((spec) => `\\\n            ${spec}`).join(' ')}\n          ;;`;
}

function argumentSpecs(subcommands: CompletableCommand['subcommands'], takesFiles: boolean): string[] {
  if (subcommands.size === 0) return takesFiles ? [`'*:file:_files'`] : [];
  const further = [...subcommands].flatMap(([first, seconds]) =>
    seconds.length > 0 ? [`${first}) compadd ${seconds.join(' ')} ;;`] : [],
  );
  const files = takesFiles ? ['*) _files ;;'] : [];
  const second = `'2:argument:{ case $words[2] in ${[...further, ...files].join(' ')} esac }'`;
  return [`'1:subcommand:(${[...subcommands.keys()].join(' ')})'`, ...(further.length > 0 ? [second] : [])];
}

const ACTIONS = { text: ' ', file: '_files', folder: '_files -/', domain: '_websites_domains' } as const;

function flagSpec(flag: CompletableFlag): string {
  const { name, alias, describe, isRepeatable, takes, choices } = flag;
  const action =
    takes === 'nothing' ? '' : `:value:${takes === 'choices' ? `(${choices.join(' ')})` : ACTIONS[takes]}`;
  const told = quoted(`[${describe.replaceAll(/[[\]:\\]/g, '\\$&')}]${action}`);
  const star = isRepeatable ? '*' : '';
  const long = takes === 'nothing' ? `--${name}` : `--${name}=`;
  if (alias === undefined) return `'${star}${long}'${told}`;
  const once = isRepeatable ? '*' : `(-${alias} --${name})`;
  return `'${once}'{-${alias},${long}}${told}`;
}
