export type Environment = Readonly<Record<string, string | undefined>>;

/** What other programs are given of it: not the key of the service, which is no business of Git, its hooks and helpers. */
export function withoutOwn(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('WEBSITES_')));
}
