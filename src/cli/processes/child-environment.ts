/** The environment for a program beside the TUI: without our credentials, since it may outlive this process by days. */
export function childEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || name.toUpperCase().startsWith("APPVARS_") ? [] : [[name, value]],
    ),
  );
}
