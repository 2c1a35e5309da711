type Env = Readonly<Record<string, string | undefined>>;

/** Returns the variables whose names are passed on. */
export function passedOn(env: Env, isPassed: (name: string) => boolean): Record<string, string> {
  const entries = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries.filter(([name]) => isPassed(name)));
}

/**
 * Returns the environment for a program beside the terminal interface, without our credentials: it
 * may outlive this process by days.
 */
export function withoutCredentials(env: Env): Record<string, string> {
  return passedOn(env, (name) => !name.toUpperCase().startsWith("APPVARS_"));
}
