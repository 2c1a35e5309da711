import { fileURLToPath } from "node:url";
import { describe } from "vitest";
import { ShellSession } from "../support/scripts/shell-session.js";
import { testScripts } from "../support/scripts/test-scripts.js";

describe.concurrent("in a shell", () => {
  testScripts(fileURLToPath(new URL("scripts/", import.meta.url)), ShellSession.open);
});
