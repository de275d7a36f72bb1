/** How the next command begins. */
import type { Io } from '../io/io.ts';

/** By how npx, if any, was told to run this one: it asks the registry for other names. */
export function programOf({
  npm_lifecycle_event: event,
  npm_lifecycle_script: script = '',
}: Io['env']): string {
  if (event !== 'npx') return 'websites';
  const [, name] = /^["']?(websites(?:-as-code)?)["']?(?: |$)/.exec(script) ?? [];
  if (name === undefined) return 'websites';
  return name === 'websites' ? 'npx --no websites' : `npx ${name}`;
}
