import { type ReactNode, useSyncExternalStore } from "react";
import type { Program } from "../program/program.js";
import { ALL_COMMANDS } from "../program/update.js";
import type { Theme } from "../text/theme.js";
import { App } from "./app.js";
import { ThemeContext } from "./text-lines.js";

export function Root({ program, theme }: { readonly program: Program; readonly theme: Theme }): ReactNode {
  const state = useSyncExternalStore(program.subscribe, () => program.state);
  return (
    <ThemeContext value={theme}>
      <App state={state} commands={ALL_COMMANDS} />
    </ThemeContext>
  );
}
