import type { CommandMain } from '../options.ts';

/**
 * Shell scripts that call `websites __complete`. Each line of its output is a word, with a tab and a description if
 * it has one, or `:file`.
 */
// cspell:disable
const SCRIPTS = {
  bash: `# Completion of websites for bash.
_websites() {
  local IFS=$'\\n' line current=\${COMP_WORDS[COMP_CWORD]#=}
  COMPREPLY=()
  while read -r line; do
    case $line in
      :file) [[ $COMPREPLY ]] || compopt -o filenames 2>/dev/null
        COMPREPLY+=($(compgen -f -- "$current")) ;;
      *) [[ $line == *= ]] && compopt -o nospace 2>/dev/null
        [[ \${COMP_WORDS[*]:COMP_CWORD-1:2} == *=* ]] && line=\${line#*=}
        COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _websites websites
`,
  zsh: `#compdef websites
# Completion of websites for zsh.
_websites() {
  local line tab=$'\\t'
  local -a found
  for line in "\${(@f)$(websites __complete "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}"; do
    case $line in
      :file) compset -P '*='; _files ;;
      *=) compadd -S '' -- "$line" ;;
      ?*) found+=("\${\${line//:/\\\\:}/$tab/:}") ;;
    esac
  done
  (( $#found )) && _describe argument found
}
if [[ $funcstack[1] == _websites ]]; then _websites; else compdef _websites websites; fi
`,
  fish: `# Completion of websites for fish.
function __websites
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l before (string match -r -- '^.*=' "$current")
    set -l path (string replace -r -- '^.*=' '' "$current")
    for line in (websites __complete $words[2..-1] "$current" 2>/dev/null)
        switch $line
            case :file
                string replace -r -- '^' "$before" (__fish_complete_path "$path")
            case '*'
                echo $line
        end
    end
end
complete -c websites -f -a '(__websites)'
`,
} as const;
// cspell:enable

export default (async (_flags, io, [shell]) => {
  io.out(SCRIPTS[shell as keyof typeof SCRIPTS]);
}) satisfies CommandMain<'completion'>;
