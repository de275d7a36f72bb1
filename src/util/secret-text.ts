/** Checks the texts of secrets for parts that do not belong to them, and for values that are probably a mistake. */

/** Continues a sentence about a text that should be a secret. */
export interface SecretWarning {
  readonly message: string;
  readonly remedy: string;
  /** True if the text is certainly not a secret. It is then never sent. */
  readonly isFatal?: true;
}

const LINE_END: SecretWarning = {
  message: 'ends in a line end, which is not sent',
  remedy: 'Set it without the line end, for example with printf %s instead of echo.',
};
const QUOTES: SecretWarning = {
  message: 'is in quotes',
  remedy: 'Remove the quotes, unless they are part of the secret.',
};
const PLACEHOLDER: SecretWarning = { message: 'is a placeholder', remedy: 'Set it to the real value.' };
export const SOPS = encrypted('SOPS', 'sops decrypt');

/** Texts that other programs write into a file instead of its content. */
const STAND_INS: readonly (readonly [pattern: RegExp, SecretWarning])[] = [
  [
    /^version https:\/\/git-lfs\.github\.com\/spec\/v1\r?\n/,
    pointer('Git LFS', 'Run "git lfs pull". In a workflow, check out with "lfs: true".'),
  ],
  [/^\/annex\/objects\//, pointer('git-annex', 'Run "git annex get" with the name of the file.')],
  [/^\s*\$ANSIBLE_VAULT;/, encrypted('Ansible Vault', 'ansible-vault decrypt')],
  [/^\s*-----BEGIN AGE ENCRYPTED FILE-----|^age-encryption\.org\/v1\n/, encrypted('age', 'age --decrypt')],
  [/ENC\[AES256_GCM,data:/, SOPS],
];

function pointer(program: string, remedy: string): SecretWarning {
  return fatal(`is a ${program} pointer, not the content of the file`, remedy);
}

function encrypted(program: string, command: string): SecretWarning {
  const remedy = `Decrypt it before this program reads it, for example with "${command}".`;
  return fatal(`is encrypted with ${program}`, remedy);
}

function fatal(message: string, remedy: string): SecretWarning {
  return { message, remedy, isFatal: true };
}

export function standInFor(text: string): SecretWarning | undefined {
  return STAND_INS.find(([pattern]) => pattern.test(text))?.[1];
}

/** A reference that a shell, a template engine or this program should have replaced by a value. */
const REFERENCE = /^(?:\$\{[^}]*\}|\$?\{\{.*\}\}|\(sensitive\))$/s;
const STAND_IN = /^(?:<.*>|\$[A-Z_][A-Z0-9_]*|\$\(.*\)|%[A-Z_][A-Z0-9_]*%)$/s;
const STAND_IN_WORD =
  /^(?:(?:change|replace)(?:me|this)|fixme|todo|tbd|placeholder|redacted|(?:your|enter|insert)\w*(?:key|token|secret|password)(?:goes)?(?:here)?|[x*.…]{4,})$/;
const QUOTED = /^(["'`]).+\1$/s;
const MAX_LENGTH = 100;

/** Removes trailing line ends: they belong to the file, not to the secret. */
export function withoutLineEnd(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n' || text[end - 1] === '\r') end -= 1;
  return text.slice(0, end);
}

export function secretWarnings(text: string): readonly SecretWarning[] {
  const value = withoutLineEnd(text);
  const ofValue = warningOf(value);
  return [...(value === text ? [] : [LINE_END]), ...(ofValue === undefined ? [] : [ofValue])];
}

function warningOf(value: string): SecretWarning | undefined {
  const standIn = standInFor(value);
  if (standIn !== undefined) return standIn;
  const quotes = QUOTED.test(value) ? QUOTES : undefined;
  if (value.length > MAX_LENGTH) return quotes;
  if (REFERENCE.test(value)) return { ...PLACEHOLDER, isFatal: true };
  const word = value.toLowerCase().replace(/[\s_-]/g, '');
  return STAND_IN.test(value) || STAND_IN_WORD.test(word) ? PLACEHOLDER : quotes;
}
