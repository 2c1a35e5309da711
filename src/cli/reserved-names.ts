/**
 * Names that make programs load code, run commands, look elsewhere for programs or trust someone else, only because
 * they are set. Whoever may write a variable is not meant to get the rights of the program that reads it. `*` at the
 * end stands for any rest. No such list is ever complete; what applications are commonly configured by (HOME, TZ,
 * TMPDIR, HTTP_PROXY, JAVA_OPTS) is left out on purpose.
 */
const RESERVED = {
  // ld.so(8), "secure-execution mode"; dyld(1); rld(5)
  loader: `LD_* DYLD_* _RLD* LDR_* LIBPATH SHLIB_PATH GCONV_PATH GETCONF_DIR GLIBC_TUNABLES HOSTALIASES LOCALDOMAIN
    LOCPATH MALLOC_TRACE NIS_PATH NLSPATH PATH_LOCALE RESOLV_HOST_CONF RES_OPTIONS TZDIR`,
  // sudo 1.9, plugins/sudoers/env.c, initial_badenv_table: this group, and what it has of the next ones
  shells: `PATH IFS CDPATH ENV BASH_ENV BASH_FUNC_* BASHOPTS SHELLOPTS PS4 PROMPT_COMMAND GLOBIGNORE FPATH ZDOTDIR
    NULLCMD READNULLCMD TMPPREFIX TERMINFO TERMINFO_DIRS TERMPATH TERMCAP COMSPEC PATHEXT`,
  // nodejs.org/api/cli.html#environment-variables; npm reads any case of its prefix
  node: `NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NODE_REPL_EXTERNAL_MODULE
    NODE_V8_COVERAGE NODE_REDIRECT_WARNINGS BUN_OPTIONS npm_config_* NPM_CONFIG_*`,
  // docs.python.org/3/using/cmdline.html#environment-variables
  python: `PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONINSPECT PYTHONUSERBASE PYTHONEXECUTABLE PYTHONPLATLIBDIR
    PYTHONBREAKPOINT PYTHONWARNINGS PYTHONPYCACHEPREFIX`,
  // perlrun(1), ruby(1), gem and bundle-config(1)
  perlAndRuby: `PERL5OPT PERL5LIB PERLLIB PERL5DB PERL5SHELL PERLIO PERLIO_DEBUG RUBYOPT RUBYLIB RUBYSHELL GEM_HOME
    GEM_PATH BUNDLE_GEMFILE`,
  // java(1), JVM TI; learn.microsoft.com/dotnet/core/tools/dotnet-environment-variables; php(1); lua(1); erl(1)
  others: `JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JDK_JAVAC_OPTIONS IBM_JAVA_OPTIONS OPENJ9_JAVA_OPTIONS
    CLASSPATH DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS DOTNET_SHARED_STORE CORECLR_* COR_ENABLE_PROFILING
    COR_PROFILER* PHPRC PHP_INI_SCAN_DIR LUA_INIT* LUA_PATH* LUA_CPATH* ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ERL_LIBS`,
  // git(1), less(1), ssh(1)
  git: `GIT_SSH* GIT_EXEC_PATH GIT_EXTERNAL_DIFF GIT_ASKPASS GIT_PROXY_COMMAND GIT_TEMPLATE_DIR GIT_CONFIG* GIT_PAGER
    GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_SSL_* GIT_DIR LESSOPEN LESSCLOSE SSH_ASKPASS`,
  // openssl-env(7), SSL_CTX_load_verify_locations(3); curl(1); requests.readthedocs.io/en/latest/user/advanced
  tls: "OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES SSL_CERT_FILE SSL_CERT_DIR SSLKEYLOGFILE CURL_CA_BUNDLE REQUESTS_CA_BUNDLE",
  // what runs a program or a plugin of the variable's choice: environ(7), make(1), sudo(8), go help environment, cargo
  programs: `EDITOR VISUAL PAGER BROWSER PS0 SUDO_ASKPASS MAKEFLAGS GNUMAKEFLAGS MAKEFILES GOFLAGS RUSTC RUSTC_WRAPPER
    RUSTC_WORKSPACE_WRAPPER ELECTRON_RUN_AS_NODE`,
  ours: "APPVARS_*",
};

const PATTERNS = Object.values(RESERVED).flatMap((names) => names.split(/\s+/));
const EXACT = new Set(PATTERNS.filter((pattern) => !pattern.endsWith("*")));
const BEGINNINGS = PATTERNS.filter((pattern) => pattern.endsWith("*")).map((pattern) => pattern.slice(0, -1));

/** Whether a variable of this name would take over the program that gets it, or what that program starts. */
export function isReservedName(name: string): boolean {
  return EXACT.has(name) || BEGINNINGS.some((beginning) => name.startsWith(beginning));
}
