import { getBuiltinModule } from "node:process";

/**
 * Builtin modules that not every command uses, loaded at their first use. An
 * import would load them at the start: `crypto` alone takes 4 ms, a tenth of a
 * `get` from a file.
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
