import type { ReactNode } from "react";
import { useProgramState } from "../hooks/use-program-state.js";
import type { Program } from "../program.js";
import { ALL_COMMANDS } from "../state/all-commands.js";
import type { Theme } from "../theme.js";
import { ThemeContext } from "../theme-context.js";
import { App } from "./app.js";

/** The picture of a running program. */
export function Root({ program, theme }: { program: Program; theme: Theme }): ReactNode {
  return (
    <ThemeContext value={theme}>
      <App state={useProgramState(program)} commands={ALL_COMMANDS} />
    </ThemeContext>
  );
}
