import { expect, it } from "vitest";
import { isAsciiLocale } from "../../../src/cli/commands/read/tui.js";

it.each([
  [{ LC_ALL: "C" }, true],
  [{ LC_ALL: "", LANG: "POSIX" }, true],
  [{ LC_CTYPE: "en_US.ISO-8859-1", LANG: "C.UTF-8" }, true],
  [{ LC_ALL: "C.UTF-8", LANG: "C" }, false],
  [{ LANG: "de_DE.utf8" }, false],
  [{ LANG: "de_DE" }, false],
  [{}, false],
])("with %j, only ASCII is shown: %s", (env, expected) => {
  expect(isAsciiLocale(env)).toBe(expected);
});
