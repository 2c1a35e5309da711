import { useContext } from "react";
import type { Theme } from "../theme.js";
import { ThemeContext } from "../theme-context.js";

/** How each role looks. */
export function useTheme(): Theme {
  return useContext(ThemeContext);
}
