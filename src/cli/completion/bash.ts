/** The completion script for bash, which may be as old as 3.2. */
import { quoted } from '../../model/next-command.ts';
import { type CompletableCommand, type CompletableFlag, WHERE } from './model.ts';

export function bashScript(commands: readonly CompletableCommand[]): string {
  return `# Completion of websites for bash.

# Prints what a flag of a command takes: its kind, then the choices; nothing where it takes no value.
_websites_takes() {
  case "$1 $2" in
${commands.flatMap(({ name, flags }) => flags.flatMap((flag) => takesLine(name, flag))).join('\n')}
  esac
}

# Offers those of the further arguments that begin with the first.
_websites_offer() {
  local begun=$1 word
  shift
  for word in "$@"; do
    [[ $word == "$begun"* ]] && COMPREPLY+=("$word")
  done
}

# Offers files, or with -d folders; names may hold spaces.
_websites_paths() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -- "$2"))
}

# A word as the command would get it: without quotes and backslashes, and with the home folder.
_websites_plain() {
  local word=\${1//[\\\\\\"\\']/}
  [[ $word == '~/'* ]] && word=$HOME\${word#'~'}
  printf '%s' "$word"
}

# Offers what the command lists: domains, runs or targets.
_websites_ask() {
  local answer
  while IFS= read -r answer; do
    COMPREPLY+=("$answer")
  done < <("\${COMP_WORDS[0]}" completion "$1" "\${@:3}" -- "$2" 2>/dev/null)
}

_websites() {
  local current=\${COMP_WORDS[COMP_CWORD]} command='' first='' words='' expects='' where=() index word takes
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [[ -n $expects ]]; then
      # bash takes --flag=value for three words.
      [[ $word == = ]] && continue
      case $expects in
        -f) where+=("--file=$(_websites_plain "$word")") ;;
        ${WHERE.join('|')}) where+=("$expects=$(_websites_plain "$word")") ;;
      esac
      expects=
    elif [[ $word == -* ]]; then
      [[ -n $(_websites_takes "$command" "$word") ]] && expects=$word
    elif [[ -z $command ]]; then
      command=$word
    else
      words+=" $word"
    fi
  done
  [[ $current == = ]] && current=
  if [[ -n $expects ]]; then
    takes=($(_websites_takes "$command" "$expects"))
    case \${takes[0]} in
      file) _websites_paths -f "$current" ;;
      folder) _websites_paths -d "$current" ;;
      domain) ${ask('domain')} ;;
      group) ${ask('group')} ;;
      target) ${ask('target')} ;;
      report)
        _websites_paths -f "$current"
        compopt -o nospace 2>/dev/null
        _websites_offer "$current" "\${takes[@]:1}"
        ;;
      choices) _websites_offer "$current" "\${takes[@]:1}" ;;
    esac
    return
  fi
  if [[ -z $command ]]; then
    _websites_offer "$current" ${commands.map(({ name }) => name).join(' ')}
    return
  fi
  if [[ $current == -* ]]; then
    case $command in
${commands.map(({ name, flags }) => `      ${name}) _websites_offer "$current" ${flags.flatMap(wordsOf).join(' ')} ;;`).join('\n')}
    esac
    return
  fi
  case "$command$words" in
${commands.flatMap(argumentLines).join('\n')}
  esac
}

complete -F _websites websites
`;
}

function takesLine(command: string, flag: CompletableFlag): string[] {
  if (flag.takes === 'nothing') return [];
  const words = wordsOf(flag).map((word) => quoted(`${command} ${word}`));
  return [`    ${words.join('|')}) echo ${[flag.takes, ...flag.choices].join(' ')} ;;`];
}

function wordsOf({ name, alias }: CompletableFlag): string[] {
  return alias === undefined ? [`--${name}`] : [`--${name}`, `-${alias}`];
}

/** What offers the domains, the runs or the targets of what the line names so far. */
function ask(what: 'domain' | 'group' | 'run' | 'target'): string {
  return `_websites_ask ${what}s "$current" \${where[@]+"\${where[@]}"}`;
}

function argumentLines({ name, subcommands, takes }: CompletableCommand): string[] {
  const line = (pattern: string, action: string): string => `    ${pattern}) ${action} ;;`;
  const offer = (words: Iterable<string>): string => `_websites_offer "$current" ${[...words].join(' ')}`;
  const files = '_websites_paths -f "$current"';
  if (subcommands.size === 0) {
    return takes === undefined ? [] : [line(`${quoted(name)}*`, takes === 'file' ? files : ask(takes))];
  }
  const further = [...subcommands].flatMap(([first, seconds]) => {
    if (seconds.length > 0) return [line(quoted(`${name} ${first}`), offer(seconds))];
    return takes === 'file' ? [line(quoted(`${name} ${first}`), files)] : [];
  });
  return [line(quoted(name), offer(subcommands.keys())), ...further];
}
