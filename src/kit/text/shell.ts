/**
 * Only a single quote is special between single quotes (POSIX.1-2024 XCU
 * 2.2.2).
 */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns one word for a POSIX shell, quoted only if necessary. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quoteForShell(text);
}

/**
 * The tag of every command in a message, for a POSIX shell: in command`chmod
 * 600 ${path}`, the path is one word, whatever it contains. Each item of a list
 * is a word.
 */
export function command(
  texts: TemplateStringsArray,
  ...values: readonly (string | readonly string[])[]
): string {
  return String.raw(
    { raw: texts },
    ...values.map((value) => [value].flat().map(shellWord).join(" ")),
  );
}

/** Returns the lines that set variables in a POSIX shell or in PowerShell. */
export function assignmentLines(
  variables: Readonly<Record<string, string>>,
  { platform, env }: { platform: NodeJS.Platform; env: NodeJS.ProcessEnv },
): string[] {
  // Git Bash and the other shells of MSYS2 set MSYSTEM.
  const isPowerShell = platform === "win32" && !env["MSYSTEM"];
  return Object.entries(variables).map(([name, value]) =>
    isPowerShell
      ? // Any of these quotes ends the text, unless it is doubled.
        `$env:${name} = '${value.replace(/['\u2018-\u201b]/g, "$&$&")}'`
      : `export ${name}=${shellWord(value)}`,
  );
}
