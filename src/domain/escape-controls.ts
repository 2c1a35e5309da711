const NAMED: Record<string, string> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/**
 * Text from elsewhere made safe for a terminal: control characters, which could move the cursor or rewrite
 * what stands there, become visible escapes.
 */
export function escapeControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => {
    return NAMED[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
}
