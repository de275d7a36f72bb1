export type Environment = Readonly<Record<string, string | undefined>>;

/** Other programs, such as Git and its hooks, must not get the API key. */
export function withoutOwn(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('WEBSITES_')));
}
