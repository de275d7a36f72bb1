/**
 * Replaces `${NAME}` and `${NAME:-default}` in texts, and limits the names that a file may use (decision:
 * "Configuration files are not trusted").
 */
import type { Environment } from '../../util/environment.ts';
import type { Finding } from '../read/source.ts';

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
const WHOLE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;
/** `$${` stands for the text `${`. Any other text from `${` to the next `}` is a reference. */
const REFERENCE = /\$\$\{|\$\{([^}]*)(\}?)/g;
const NAMED = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;
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
  return VARIABLE.test(text);
}

export function hasReference(text: string): boolean {
  return text.includes('${');
}

/** Returns the name if a text is exactly one reference, such as `${NAME}`. */
export function wholeReference(text: string): string | undefined {
  return WHOLE.exec(text)?.[1];
}

export function referencedNames(text: string): string[] {
  return Array.from(text.matchAll(REFERENCE), ([, body = '']) => NAMED.exec(body)?.[1] ?? '').filter(Boolean);
}

/** Returns the reason that `name` cannot be the variable of a secret, with a remedy. `undefined` if it can. */
export function refuseSecretName(name: string): Finding | undefined {
  if (!isVariableName(name))
    return { ...NO_NAME, remedy: 'Write a name of letters, digits and underscores.' };
  // Compared in capitals, because names of environment variables ignore letter case on Windows.
  if (!name.toUpperCase().startsWith(OWN_PREFIX)) return undefined;
  const message = `${name} cannot be used in a file: names that start with ${OWN_PREFIX} are reserved`;
  return { message, remedy: 'Use a variable with another name.' };
}

/** Replaces the references in `text`. If there are faults, the returned text must not be used. */
export function substitute(
  text: string,
  variables: Variables,
): { text: string; faults: readonly ReferenceFault[] } {
  const faults: ReferenceFault[] = [];
  const replaced = text.replace(REFERENCE, (token: string, body: string | undefined, close: string) => {
    if (body === undefined) return '${';
    const value = readReference(body, close !== '', variables);
    if (typeof value === 'string') return value;
    faults.push({ token, ...value });
    return '';
  });
  if (faults.length > 0) return { text: replaced, faults };
  const first = text.search(/(?<!\$)\$\{/);
  const around = text.replace(REFERENCE, (token) => (token === '$${' ? '{' : ''));
  const isLeftOver = first >= 0 && around.split('}').length > around.split('{').length;
  return { text: replaced, faults: isLeftOver ? [{ token: text.slice(first), ...LEFT_OVER }] : [] };
}

const LEFT_OVER = {
  message: 'an extra } follows this reference, which ends at its first }',
  remedy: 'Remove the }. If the value needs a brace, put the whole value into one variable.',
};

const NO_NAME = { message: 'this is not the name of an environment variable' };
const BRACE_INSIDE: Finding = {
  message: 'a reference cannot contain a brace or another reference, and ends at its first }',
  remedy: 'Put the whole value into one variable.',
};
const NOT_CLOSED: Finding = {
  message: 'this reference has no closing }',
  remedy: `Close it, or write $\${ for literal text.`,
};

function readReference(body: string, closed: boolean, { env, secretNames }: Variables): string | Finding {
  if (body.includes('{')) return BRACE_INSIDE;
  if (!closed) return NOT_CLOSED;
  const [, name, fallback] = NAMED.exec(body) ?? [];
  if (name === undefined) {
    return { ...NO_NAME, remedy: `Write \${NAME} or \${NAME:-default}, or $\${ for literal text.` };
  }
  const refused = refuseSecretName(name);
  if (refused !== undefined) return refused;
  if (secretNames.has(name.toUpperCase())) {
    const message = `${name} is the variable of a secret and cannot be used in other texts`;
    return { message, remedy: 'Use another variable here, or another one for the secret.' };
  }
  const value = variable(env, name);
  if (fallback !== undefined) return value || fallback;
  const message = `the environment variable ${name} is not set`;
  return value ?? { message, remedy: `Set it, or give it a default: \${${name}:-…}.` };
}
