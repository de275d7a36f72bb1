/** Checks texts of secrets: parts that do not belong to them, and values that are probably a mistake. */

/** Texts that other programs put into a file instead of its content. */
const STAND_INS = {
  'git-lfs': /^version https:\/\/git-lfs\.github\.com\/spec\/v1\r?\n/,
  'git-annex': /^\/annex\/objects\//,
  'ansible-vault': /^\s*\$ANSIBLE_VAULT;/,
  age: /^\s*-----BEGIN AGE ENCRYPTED FILE-----|^age-encryption\.org\/v1\n/,
  sops: /ENC\[AES256_GCM,data:/,
} as const;

export type StandIn = keyof typeof STAND_INS;

export type Doubt = 'line-end' | 'quotes' | 'placeholder' | 'unresolved' | StandIn;

interface DoubtWords {
  readonly message: string;
  readonly remedy: string;
  /** The text is certainly not a secret, and is never sent. */
  readonly isFatal?: true;
}

export const DOUBTS: Readonly<Record<Doubt, DoubtWords>> = {
  'line-end': {
    message: 'ends in a line end, which is not sent',
    remedy: 'Set it without the line end: printf %s writes none, echo does.',
  },
  quotes: {
    message: 'is in quotes, which are sent as part of it',
    remedy: 'Remove the quotes, unless the secret contains them.',
  },
  placeholder: { message: 'looks like a placeholder', remedy: 'Set the secret itself.' },
  unresolved: { message: 'is a placeholder, not a secret', remedy: 'Set the secret itself.', isFatal: true },
  'git-lfs': pointer('Git LFS', 'Run "git lfs pull"; in a workflow, check out with "lfs: true".'),
  'git-annex': pointer('git-annex', 'Run "git annex get" with the name of the file.'),
  'ansible-vault': encrypted('Ansible Vault', 'ansible-vault decrypt'),
  age: encrypted('age', 'age --decrypt'),
  sops: encrypted('SOPS', 'sops decrypt'),
};

function pointer(program: string, remedy: string): DoubtWords {
  const message = `is a ${program} pointer, without the content that it stands for`;
  return { message, remedy, isFatal: true };
}

function encrypted(program: string, command: string): DoubtWords {
  return {
    message: `is encrypted with ${program}`,
    remedy: `Decrypt it before this program reads it, for example with "${command}".`,
    isFatal: true,
  };
}

export function standInFor(text: string): StandIn | undefined {
  const names = Object.keys(STAND_INS) as StandIn[];
  return names.find((name) => STAND_INS[name].test(text));
}

/** A reference that a shell, a template or this program should have replaced. */
const UNRESOLVED = /^(?:\$\{[^}]*\}|\$?\{\{.*\}\}|\(sensitive\))$/s;
const PLACEHOLDER = /^(?:<.*>|\$[A-Z_][A-Z0-9_]*|\$\(.*\)|%[A-Z_][A-Z0-9_]*%)$/s;
const PLACEHOLDER_WORD =
  /^(?:(?:change|replace)(?:me|this|it)|fixme|todo|tbd|placeholder|redacted|x{4,}|\*{3,}|\.{3,}|…|(?:your|enter|insert|put|add)\w*(?:key|token|secret|password)(?:goes)?(?:here)?|(?:api)?(?:key|token|secret|password)(?:goes)?here)$/;
const QUOTED = /^(["'`]).+\1$/s;
const MAX_LENGTH = 100;

/** The line end belongs to the file, or to the program that wrote it. */
export function withoutLineEnd(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n' || text[end - 1] === '\r') end -= 1;
  return text.slice(0, end);
}

export function doubtsOf(text: string): readonly Doubt[] {
  const value = withoutLineEnd(text);
  const ofValue = doubtOf(value);
  return [...(value === text ? [] : (['line-end'] as const)), ...(ofValue === undefined ? [] : [ofValue])];
}

export function fatalDoubt(doubts: readonly Doubt[]): DoubtWords | undefined {
  return doubts.map((doubt) => DOUBTS[doubt]).find(({ isFatal }) => isFatal);
}

function doubtOf(value: string): Exclude<Doubt, 'line-end'> | undefined {
  const standIn = standInFor(value);
  if (standIn !== undefined) return standIn;
  if (value.length > MAX_LENGTH) return QUOTED.test(value) ? 'quotes' : undefined;
  if (UNRESOLVED.test(value)) return 'unresolved';
  const word = value.toLowerCase().replace(/[\s_-]/g, '');
  if (PLACEHOLDER.test(value) || PLACEHOLDER_WORD.test(word)) return 'placeholder';
  return QUOTED.test(value) ? 'quotes' : undefined;
}
