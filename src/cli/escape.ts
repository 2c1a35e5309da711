import { escapeControls } from "../domain/escape-controls.js";

/** A field of a tab-separated line: tab, newline, carriage return and backslash as `\t \n \r \\`. */
export function escapeField(text: string): string {
  return text.replace(/[\\\t\n\r]/g, (character) => (character === "\\" ? "\\\\" : escapeControls(character)));
}

/** One word for a POSIX shell, quoted only where it has to be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
