/**
 * Replaces `${NAME}` and `${NAME:-default}` in texts, and limits the names that a file may use (decision:
 * "Configuration files are not trusted").
 */
import type { Environment } from '../../util/environment.ts';
import type { Finding } from '../read/source.ts';

/** `$${` stands for the text `${`. */
const REFERENCE = /\$\$\{|\$\{([^{}]*)\}/g;
const BEGINNING = /(?<!\$)\$\{([A-Za-z_]\w*)?/g;
const NAMED = /^([A-Za-z_]\w*)(?::-(.*))?$/s;
const OWN_PREFIX = 'WEBSITES_';

interface ReferenceFault extends Finding {
  readonly token: string;
}

export interface Variables {
  readonly env: Environment;
  readonly secretNames: ReadonlySet<string>;
}

/** Returns the value of an environment variable that is set. Ignores inherited properties of the object. */
export function variable(env: Environment, name: string): string | undefined {
  const value: unknown = env[name];
  return typeof value === 'string' ? value : undefined;
}

export function isVariableName(text: string): boolean {
  return NAMED.exec(text)?.[1] === text;
}

export function hasReference(text: string): boolean {
  return text.includes('${');
}

/** Returns the name if a text is exactly one reference, such as `${NAME}`. */
export function wholeReference(text: string): string | undefined {
  const [name] = referencedNames(text);
  return text === `\${${name}}` ? name : undefined;
}

/** Returns the names of all references, including malformed ones. */
export function referencedNames(text: string): string[] {
  return Array.from(text.matchAll(BEGINNING), ([, name = '']) => name).filter(Boolean);
}

/** Returns the reason that `name` cannot be the variable of a secret, with a remedy. `undefined` if it can. */
export function refuseSecretName(name: string): Finding | undefined {
  if (!isVariableName(name))
    return { ...NO_NAME, remedy: 'Use letters, digits and underscores, and do not begin with a digit.' };
  // Compared in capitals, because names of environment variables ignore letter case on Windows.
  if (!name.toUpperCase().startsWith(OWN_PREFIX)) return undefined;
  const message = `${name} cannot be used in a file: names that start with ${OWN_PREFIX} are reserved`;
  return { message, remedy: 'Use a variable with another name.' };
}

/** Replaces the references in `text`, or returns the first fault. */
export function substitute(text: string, variables: Variables): string | ReferenceFault {
  const first = text.search(BEGINNING);
  if (first >= 0 && /[{}]/.test(text.replace(REFERENCE, ''))) return { token: text.slice(first), ...BRACE };
  let fault: ReferenceFault | undefined;
  const replaced = text.replace(REFERENCE, (token, body: string | undefined) => {
    if (body === undefined) return '${';
    const value = readReference(body, variables);
    if (typeof value === 'string') return value;
    fault ??= { token, ...value };
    return '';
  });
  return fault ?? replaced;
}

const NO_NAME = { message: 'this is not the name of an environment variable' };
const BRACE: Finding = {
  message: 'this value has a brace next to its reference, or a reference without a closing }',
  remedy: `Close the reference, put the whole value into one variable, or write $\${ for literal text.`,
};

function readReference(body: string, { env, secretNames }: Variables): string | Finding {
  const [, name, fallback] = NAMED.exec(body) ?? [];
  if (name === undefined) {
    return { ...NO_NAME, remedy: `Write \${NAME} or \${NAME:-default}, or $\${ for literal text.` };
  }
  const refused = refuseSecretName(name);
  if (refused !== undefined) return refused;
  if (secretNames.has(name.toUpperCase())) {
    const message = `${name} is used for a secret, and cannot be used in other values`;
    return { message, remedy: 'Use another variable here, or another variable for the secret.' };
  }
  const value = variable(env, name);
  if (fallback !== undefined) return value || fallback;
  const message = `the environment variable ${name} is not set`;
  return value ?? { message, remedy: `Set it, or give it a default: \${${name}:-…}.` };
}
