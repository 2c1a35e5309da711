import { getBuiltinModule } from "node:process";

/**
 * Builtin modules that only some commands use. They are loaded on first use,
 * since `crypto` alone takes 4 ms, a tenth of a `get` from a file.
 */
export const builtins = {
  get crypto() {
    return getBuiltinModule("node:crypto");
  },
  get http() {
    return getBuiltinModule("node:http");
  },
  get v8() {
    return getBuiltinModule("node:v8");
  },
};
