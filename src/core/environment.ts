/** What other programs are given of the environment. */

type Environment = Readonly<Record<string, string | undefined>>;

/** Without the key of the service, which is no business of Git, its hooks, filters and helpers. */
export function withoutOwn(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('WEBSITES_')));
}
