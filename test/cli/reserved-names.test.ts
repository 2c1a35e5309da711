import { describe, expect, it } from "vitest";
import { isReservedName } from "../../src/cli/reserved-names.js";

describe("isReservedName", () => {
  it.each([
    ..."PATH NODE_OPTIONS LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES BASH_ENV ENV IFS SHELLOPTS".split(" "),
    ..."PYTHONPATH PYTHONSTARTUP PYTHONHOME PERL5OPT PERL5LIB RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS".split(" "),
    ..."_JAVA_OPTIONS JDK_JAVA_OPTIONS GIT_SSH GIT_SSH_COMMAND GIT_EXEC_PATH npm_config_script_shell".split(" "),
    ..."NPM_CONFIG_REGISTRY NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED APPVARS_API_SECRET".split(" "),
  ])("holds %s back", (name) => {
    expect(isReservedName(name)).toBe(true);
  });

  it.each([
    ..."DATABASE_URL PORT HOME TZ TMPDIR HTTP_PROXY NODE_ENV PATH_TO_DATA MY_PATH path LD ENVIRONMENT __proto__".split(
      " ",
    ),
    ..."PYTHON_VERSION JAVA_OPTS GIT_BRANCH constructor".split(" "),
  ])("lets %s through", (name) => {
    expect(isReservedName(name)).toBe(false);
  });
});
