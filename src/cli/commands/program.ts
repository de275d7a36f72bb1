import type { Io } from '../io/io.ts';

/** How the next command begins: npx, if it runs this one, would ask the registry for a name without `--no`. */
export function programOf({
  npm_lifecycle_event: event,
  npm_lifecycle_script: script = '',
}: Io['env']): string {
  return event === 'npx' && /^["']?websites["']?(?: |$)/.test(script) ? 'npx --no websites' : 'websites';
}
