import { createContext } from "react";
import { createTheme, type Theme } from "./theme.js";

/** The theme of what is below; the one without colour where nobody has chosen. */
export const ThemeContext = createContext<Theme>(createTheme("plain"));
