import { describe, expect, it } from "vitest";
import NAMES_BY_SOURCE from "../../data/reserved-names.json" with { type: "json" };
import { isReservedName } from "../../src/model/reserved-names.js";

const isGlobOf = (pattern: string, name: string) => {
  const [start, end] = pattern.split("*");
  return end !== undefined && name.startsWith(start ?? "") && name.endsWith(end);
};
const words = (text: string) => text.trim().split(/\s+/);

describe("isReservedName", () => {
  it.each([
    ["loaders", "LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES GCONV_PATH GLIBC_TUNABLES"],
    [
      "search folders",
      "PATH HOME XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS XDG_CACHE_HOME XDG_RUNTIME_DIR",
    ],
    ["Windows", "ComSpec PATHEXT SystemRoot AppData USERPROFILE PSModulePath"],
    [
      "shells",
      "BASH_ENV ENV IFS SHELLOPTS SHELL PROMPT_COMMAND PS0 PS1 PS4 MAILPATH HISTFILE INPUTRC FCEDIT ZDOTDIR",
    ],
    // As `zsh -fc 'typeset -i'` lists them, but for those that can't be set.
    [
      "integer parameters",
      "HISTSIZE SAVEHIST COLUMNS LINES MAILCHECK FUNCNEST KEYTIMEOUT LISTMAX UID EUID GID EGID",
    ],
    ["bash's integers", "RANDOM SRANDOM OPTIND HISTCMD SECONDS SHLVL"],
    ["fish", "fish_function_path fish_user_paths fish_key_bindings __fish_config_dir"],
    [
      "commands",
      "EDITOR PAGER LESS LESSOPEN VIMINIT TAR_OPTIONS RSYNC_RSH WGETRC CURL_HOME SSH_ASKPASS SSH_SK_PROVIDER",
    ],
    [
      "git",
      "GIT_SSH_COMMAND GIT_EXEC_PATH GIT_TRACE GIT_TRACE2_EVENT GIT_TRACE_CURL GIT_CONFIG_GLOBAL GIT_PROXY_COMMAND",
    ],
    [
      "builds",
      "CC CXX LD CFLAGS LDFLAGS MAKEFLAGS CMAKE_TOOLCHAIN_FILE PKG_CONFIG_PATH CONFIG_SITE CCACHE_PREFIX",
    ],
    [
      "Rust and Go",
      "CARGO_HOME CARGO_BUILD_RUSTC_WRAPPER RUSTFLAGS RUSTC_WRAPPER RUSTUP_HOME GOFLAGS GOPROXY CGO_CFLAGS",
    ],
    [
      "the JVM",
      "JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_HOME MAVEN_OPTS GRADLE_OPTS GRADLE_USER_HOME",
    ],
    [
      "Python",
      "PYTHONPATH PYTHONSTARTUP PIP_INDEX_URL PIP_CONFIG_FILE UV_INDEX_URL UV_PYTHON PYTEST_ADDOPTS VIRTUAL_ENV",
    ],
    ["Perl and Ruby", "PERL5OPT PERL5LIB RUBYOPT RUBYLIB BUNDLE_GEMFILE BUNDLE_PATH SPEC_OPTS"],
    [
      "Node",
      "NODE_OPTIONS NODE_EXTRA_CA_CERTS npm_config_script_shell NPM_CONFIG_REGISTRY Npm_Config_Prefix YARN_RC_FILENAME",
    ],
    [
      ".NET",
      "DOTNET_STARTUP_HOOKS DOTNET_ROOT_X64 CORECLR_PROFILER NUGET_PACKAGES MSBuildSDKsPath COMPlus_AltJitName",
    ],
    [
      "PHP, Lua, Erlang, R",
      "PHPRC COMPOSER_HOME XDEBUG_CONFIG LUA_INIT_5_4 ERL_FLAGS R_PROFILE_USER",
    ],
    [
      "provisioning",
      "TF_CLI_ARGS TF_CLI_ARGS_plan TF_CLI_CONFIG_FILE TF_PLUGIN_CACHE_DIR ANSIBLE_CONFIG ANSIBLE_LIBRARY",
    ],
    ["containers", "KUBECONFIG HELM_PLUGINS DOCKER_HOST DOCKER_CONFIG COMPOSE_FILE CONTAINER_HOST"],
    ["clouds", "AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE AWS_CA_BUNDLE CLOUDSDK_PYTHON"],
    ["databases", "PGSYSCONFDIR PGSERVICEFILE PSQLRC MYSQL_HOME"],
    ["desktops", "GTK_MODULES QT_PLUGIN_PATH GIO_EXTRA_MODULES"],
    [
      "trust",
      "OPENSSL_CONF SSL_CERT_FILE SSLKEYLOGFILE NODE_TLS_REJECT_UNAUTHORIZED REQUESTS_CA_BUNDLE",
    ],
    ["make and gcc", "VPATH LPATH"],
    [
      "npm and packages of it",
      "PREFIX DESTDIR NAPI_RS_NATIVE_LIBRARY_PATH BIOME_BINARY NODE_GYP_FORCE_PYTHON",
    ],
    [
      "Node's packages",
      "NODE_ICU_DATA SWC_BINARY_PATH SASS_BINARY_PATH LEFTHOOK_BIN LAUNCH_EDITOR REACT_EDITOR",
    ],
    ["Prisma", "PRISMA_MIGRATION_ENGINE_BINARY"],
    [
      "Ruby's tools",
      "GEM_VENDOR TESTOPTS TESTOPT TEST_OPTS TEST_OPT RAKEOPT RUBOCOP_OPTS THOR_MERGE",
    ],
    ["Python's tools", "INVOKE_RUN_SHELL _PYTHON_SYSCONFIGDATA_NAME PYSPARK_PYTHON SPARK_HOME"],
    ["pagers", "PERLDOC_PAGER BAT_OPTS DELTA_PAGER"],
    ["yash, and steps on GitHub", "COMMAND_NOT_FOUND_HANDLER ACTIONS_ALLOW_UNSECURE_COMMANDS"],
    [
      "Node's build tools",
      "TURBO_BINARY_PATH WEBPACK_PACKAGE JITI_ALIAS RSPACK_BINDING NX_NATIVE_FILE_CACHE_DIRECTORY NEXT_TEST_NATIVE_DIR",
    ],
    ["packages with native code", "SODIUM_NATIVE_PREBUILD leveldown_prebuild BUFFERUTIL_PREBUILD"],
    [
      "browser tests",
      "SE_MANAGER_PATH SE_CHROMEDRIVER PLAYWRIGHT_NODEJS_PATH PW_TEST_REPORTER PLAYWRIGHT_FIREFOX_DOWNLOAD_HOST",
    ],
    [
      "workers and tasks",
      "MINIFLARE_WORKERD_PATH WRANGLER_DOCKER_BIN JUST_CHOOSER JUST_DOTENV_COMMAND JJ_EDITOR JJ_PAGER",
    ],
    ["Airflow", "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_CMD AIRFLOW__CORE__FERNET_KEY_CMD"],
    [
      "native builds",
      "PROTOC LIBCLANG_PATH PYO3_PYTHON NVCC_PREPEND_FLAGS CUDAHOSTCXX CC_x86_64_unknown_linux_gnu",
    ],
    ["logging and starting in the JVM", "LOADER_PATH LOG4J_CONFIGURATION_FILE"],
    [
      "secrets and backups",
      "SOPS_AGE_KEY_CMD RESTIC_FROM_PASSWORD_COMMAND BORG_OTHER_PASSCOMMAND RUSTIC_KEY_COMMAND AWS_VAULT_PASS_CMD",
    ],
    [
      "deployments",
      "TG_AUTH_PROVIDER_CMD HELMFILE_HELM_BINARY ATMOS_COMPONENTS_TERRAFORM_COMMAND PULUMI_PYTHON_CMD",
    ],
    [
      "profilers and emulators",
      "OMP_TOOL_LIBRARIES CUDA_INJECTION64_PATH QEMU_MODULE_DIR HSA_TOOLS_LIB",
    ],
    ["manuals and completion", "MANLESS BASH_COMPLETION_USER_FILE"],
    [
      "coding agents",
      "CLAUDE_CODE_SHELL_PREFIX CODEX_HOME AIDER_LINT_CMD GEMINI_SANDBOX_PROXY_COMMAND SANDBOX_FLAGS COPILOT_HOME",
    ],
    [
      "models",
      "GGML_BACKEND_PATH VLLM_NCCL_SO_PATH TRITON_LIBCUDA_PATH PJRT_NAMES_AND_LIBRARY_PATHS TPU_LIBRARY_PATH",
    ],
    [
      "scripts in Node",
      "ZX_SHELL ZX_PREFIX NYC_CONFIG_OVERRIDE VUE_CLI_SERVICE_CONFIG_PATH OXLINT_TSGOLINT_PATH",
    ],
    [
      "autotools and packages",
      "AUTOM4TE ACLOCAL HOSTCC MAKEPKG_CONF NIXPKGS_CONFIG GUIX_PACKAGE_PATH FLATPAK_BWRAP",
    ],
    ["Scheme", "GUILE_LOAD_PATH GUILE_SYSTEM_PATH PLTCOLLECTS PLTADDONDIR CHICKEN_REPOSITORY_PATH"],
    [
      "plugins",
      "SDL3_DYNAMIC_API LIBVIRT_DRIVER_DIR WIRESHARK_EXTCAP_DIR HWLOC_PLUGINS_PATH GEGL_PATH OPENSC_CONF TPM2TOOLS_TCTI",
    ],
    [
      "clusters",
      "APPTAINERENV_LD_PRELOAD SINGULARITYENV_PATH MODULEPATH EASYBUILD_HOOKS PRTE_MCA_plm_ssh_agent DASK_DISTRIBUTED__WORKER__PRELOAD",
    ],
    ["Python archives", "PEX_MODULE PEX_EXTRA_SYS_PATH SHIV_ENTRY_POINT"],
    [
      "terminals",
      "KAKOUNE_POSIX_SHELL KITTY_INSTALLATION_DIR GHOSTTY_RESOURCES_DIR LF_CONFIG_HOME TIG_EDITOR SKIM_DEFAULT_COMMAND",
    ],
    [
      "docker",
      "DOCKER_CONTEXT DOCKER_CERT_PATH DOCKER_TLS_VERIFY DOCKER_CLI_PLUGIN_ORIGINAL_CLI_COMMAND",
    ],
    [
      "tools whose prefix applications share",
      "PSQL_PAGER PSQL_EDITOR PARALLEL_SSH COVERAGE_RCFILE COVERAGE_PROCESS_START ANT_OPTS",
    ],
    ["our own", "APPVARS_URL APPVARS_API_SECRET APPVARS_ENC_KEY"],
  ])("reserves names that can hijack %s", (_what, names) => {
    expect(words(names).filter((name) => !isReservedName(name))).toEqual([]);
  });

  it("the list has a source for each name, and each name once, as names are compared", () => {
    const listed = Object.values(NAMES_BY_SOURCE).flatMap((names) => names.split(" "));
    expect(listed.filter((name) => !/^!?(?!.*\*.*\*)[A-Z_*][A-Z0-9_*]+$/.test(name))).toEqual([]);
    expect(listed.filter((name, index) => listed.indexOf(name) !== index)).toEqual([]);
    const excepted = listed.filter((name) => name.startsWith("!")).map((name) => name.slice(1));
    expect(excepted.filter((name) => !listed.some((other) => isGlobOf(other, name)))).toEqual([]);
  });

  it.each(words("Path path pythonpath Ld_Preload pip_index_url"))(
    "ignores the case of %s, as Windows does",
    (name) => {
      expect(isReservedName(name)).toBe(true);
    },
  );

  it.each([
    [
      "applications",
      "DATABASE_URL PORT NODE_ENV RAILS_ENV DJANGO_SETTINGS_MODULE SECRET_KEY ENVIRONMENT LOG_LEVEL CI",
    ],
    ["databases", "PGHOST PGPASSWORD PGSSLMODE PGDATABASE MYSQL_PWD MYSQL_HOST REDIS_URL"],
    [
      "clouds",
      "AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_REGION AWS_PROFILE GOOGLE_APPLICATION_CREDENTIALS AZURE_CLIENT_ID",
    ],
    ["networks", "HTTP_PROXY https_proxy NO_PROXY"],
    ["the system", "TZ LANG LC_ALL TMPDIR TERM DISPLAY"],
    [
      "builds",
      "GIT_COMMIT GIT_BRANCH GIT_TOKEN GIT_AUTHOR_NAME GITHUB_TOKEN NPM_TOKEN JAVA_OPTS PYTHON_VERSION",
    ],
    [
      "runtimes",
      "UV_THREADPOOL_SIZE PYTHONUNBUFFERED DOTNET_ENVIRONMENT ASPNETCORE_URLS MIX_ENV RUST_LOG GOMAXPROCS",
    ],
    [
      "tools",
      "TF_VAR_region TF_LOG COMPOSE_PROJECT_NAME DOCKER_USERNAME DOCKER_PASSWORD VAULT_TOKEN VAULT_ADDR GH_TOKEN",
    ],
    [
      "neighbours of reserved names",
      "PATH_TO_DATA MY_PATH LDAP_URL PIPELINE CCS HOMEPAGE LESSON RUSTY PS10 PROMPTS UVICORN_PORT",
    ],
    [
      "parts of globs",
      "PREBUILD PREBUILD_CACHE USE_PREBUILD NO_PREBUILD LINUX_GNU AIRFLOW__CMD AIRFLOW__CORE__PARALLELISM MY_PROTOC",
    ],
    [
      "programs with reserved names",
      "PLAYWRIGHT_TEST_BASE_URL CYPRESS_BASE_URL SENTRY_DSN SENTRY_AUTH_TOKEN GEMINI_API_KEY ATMOS_API_KEY AIDER_MODEL",
    ],
    [
      "backups and deployments",
      "RESTIC_REPOSITORY RESTIC_PASSWORD BORG_PASSPHRASE RUSTIC_PASSWORD PULUMI_ACCESS_TOKEN PULUMI_BACKEND_URL TRIVY_TOKEN",
    ],
    [
      "frameworks",
      "FLASK_APP CELERY_BROKER_URL DAGSTER_HOME CDK_DEFAULT_REGION TG_BOT_TOKEN OTEL_SERVICE_NAME",
    ],
    [
      "images and releases",
      "DOCKER_IMAGE DOCKER_TAG DOCKER_REGISTRY DOCKER_REPOSITORY DOCKER_IMAGE_NAME DOCKER_HUB_TOKEN HELM_RELEASE HELM_NAMESPACE",
    ],
    [
      "environments",
      "BUN_ENV DENO_ENV ELECTRON_ENV ANSIBLE_ENV BUN_VERSION YARN_VERSION POETRY_VERSION MODULE_PATH",
    ],
    [
      "hosts",
      "ANSIBLE_HOST ANSIBLE_USER PSQL_HOST PSQL_PASSWORD PSQL_URL PARALLEL_WORKERS COVERAGE_TOKEN ANT_HOST",
    ],
    [
      "services",
      "LD_SDK_KEY MONO_SECRET_KEY BUNDLE_ID GRADLE_PUBLISH_KEY LUAROCKS_API_KEY CLOUDSDK_CORE_PROJECT NUGET_AUTH_TOKEN",
    ],
    ["objects", "__proto__ constructor toString hasOwnProperty"],
  ])("does not reserve the common variables of %s", (_program, names) => {
    expect(words(names).filter(isReservedName)).toEqual([]);
  });
});
