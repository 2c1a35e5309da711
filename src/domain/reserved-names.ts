/**
 * Names that `run`, `export` and `sandbox` leave out unless they are allowed by name. Permission to write a variable
 * must not grant the rights of the program that receives it, so a name is reserved when it can make a common program run
 * other code, find programs or configuration elsewhere, trust another certificate, or write a file chosen by the value.
 * `*` matches any ending. Case does not matter, as on Windows and in `npm_config_*`.
 *
 * A tool that maps its whole configuration to a prefix owns the prefix. Of prefixes that applications share (`DOTNET_*`,
 * `GIT_*`, `PG*`, `AWS_*`), only the dangerous names are listed. The list can't be complete, and deliberately omits what
 * applications are commonly configured by (HTTP_PROXY, JAVA_OPTS, TMPDIR, TZ).
 */
const RESERVED = {
  ours: "APPVARS_*",

  // ld.so(8), "secure-execution mode"; gconv, malloc: glibc manual; dyld(1); rld(5); sudo 1.9, plugins/sudoers/env.c,
  // initial_badenv_table; XDG Base Directory 0.8; D-Bus specification, "unixexec"; Windows:
  // about_Environment_Variables
  system: `LD_* DYLD_* _RLD* LDR_* LIBPATH SHLIB_PATH GCONV_PATH GETCONF_DIR GLIBC_TUNABLES HOSTALIASES LOCALDOMAIN
    LOCPATH MALLOC_TRACE NIS_PATH NLSPATH PATH_LOCALE RESOLV_HOST_CONF RES_OPTIONS TEXTDOMAINDIR TZDIR TERMINFO
    TERMINFO_DIRS TERMPATH TERMCAP AUTHSTATE VAR_ACE USR_ACE DLC_ACE HOME XDG_CONFIG_HOME XDG_CONFIG_DIRS
    XDG_DATA_HOME XDG_DATA_DIRS XDG_STATE_HOME XDG_CACHE_HOME XDG_RUNTIME_DIR DBUS_* SYSTEMD_* COMSPEC PATHEXT
    SYSTEMROOT SYSTEMDRIVE WINDIR APPDATA LOCALAPPDATA PROGRAMDATA ALLUSERSPROFILE USERPROFILE HOMEDRIVE HOMEPATH
    PROGRAMFILES PROGRAMW6432 COMMONPROGRAMFILES COMMONPROGRAMW6432 __COMPAT_LAYER PSMODULEPATH __PSLOCKDOWNPOLICY`,

  // bash(1), "Shell Variables" (MAILPATH's messages, PS0 to PS4 are expanded); zshparam(1), where assigning to an integer
  // parameter (HISTSIZE, COLUMNS) evaluates the value, commands in it included, as bash does for OPTIND and RANDOM; ksh(1); POSIX XCU sh, fc;
  // fishshell.com/docs/current/language.html#special-variables; sudo as above
  shells: `PATH SHELL IFS CDPATH ENV BASH_ENV BASH_FUNC_* BASHOPTS SHELLOPTS BASH_LOADABLES_PATH BASH_XTRACEFD
    EXECIGNORE GLOBIGNORE FCEDIT HISTEDIT HISTFILE INPUTRC MAILPATH PROMPT PROMPT_COMMAND PROMPT2 PROMPT3 PROMPT4 PS0
    PS1 PS2 PS3 PS4 PSVAR RPROMPT RPROMPT2 RPS1 RPS2 SPROMPT ZDOTDIR ZSH ZSH_* FPATH MODULE_PATH NULLCMD READNULLCMD
    TMPPREFIX FISH_* __FISH_* CHPWD_FUNCTIONS PERIODIC_FUNCTIONS PRECMD_FUNCTIONS PREEXEC_FUNCTIONS
    ZSHADDHISTORY_FUNCTIONS ZSHEXIT_FUNCTIONS DIRENV_* STARSHIP_* FZF_* TMUX TMUX_TMPDIR SCREENRC SYSSCREENRC
    SCREENDIR HISTSIZE SAVEHIST COLUMNS LINES MAILCHECK FUNCNEST KEYTIMEOUT LISTMAX UID EUID GID EGID ERRNO
    TRY_BLOCK_ERROR TRY_BLOCK_INTERRUPT RANDOM SRANDOM OPTIND HISTCMD SECONDS SHLVL`,

  // environ(7); less(1); man(1); groff(1); vimhelp.org/starting.txt.html; Emacs manual, "General Variables"; gawk(1);
  // ripgrep GUIDE.md; wget(1), "Startup File"; curl(1); GNU tar manual, "TAR_OPTIONS"; rsync(1); zip(1); unzip(1);
  // ssh(1), ssh-add(1); gpg(1); pass(1); sudo(8); bc(1); parallel(1); apt.conf(5); mailcap(5); file(1)
  commands: `EDITOR VISUAL PAGER BROWSER LESS LESSOPEN LESSCLOSE LESSEDIT LESSECHO LESSKEY* LESSHISTFILE
    LESSMETAESCAPE LESSSECURE LESSGLOBALTAGS MANPAGER MANOPT MANPATH MANROFFOPT GROFF_* BAT_PAGER BAT_CONFIG_DIR
    BAT_CONFIG_PATH VIM VIMINIT VIMRUNTIME GVIMINIT MYVIMRC EXINIT NVIM_APPNAME EMACSLOADPATH EMACSPATH EMACSDATA
    ALTERNATE_EDITOR AWKPATH AWKLIBPATH GREP_OPTIONS RIPGREP_CONFIG_PATH WGETRC SYSTEM_WGETRC WGET2RC SYSTEM_WGET2RC
    CURL_HOME QLOGDIR TAR_OPTIONS TAPE RSYNC_RSH RSYNC_CONNECT_PROG RSYNC_SHELL RSYNC_PARTIAL_DIR ZIP ZIPOPT UNZIP
    UNZIPOPT SSH_ASKPASS* SSH_AUTH_SOCK SSH_SK_PROVIDER SSH_SK_HELPER SSH_PKCS11_HELPER GNUPGHOME PASSWORD_STORE_* RCLONE_* RESTIC_PASSWORD_COMMAND BORG_RSH BORG_PASSCOMMAND SOPS_EDITOR QUILT_PAGER
    SUDO_ASKPASS SUDO_EDITOR BC_ENV_ARGS DC_ENV_ARGS PARALLEL PARALLEL_* APT_CONFIG RPM_CONFIGDIR DPKG_ROOT
    DPKG_ADMINDIR MAILCAPS MAILRC MAGIC LYNX_CFG GS_LIB GS_OPTIONS TEXINPUTS TEXMF* SHELL_ESCAPE SHELL_ESCAPE_COMMANDS
    OPENIN_ANY OPENOUT_ANY MAGICK_CONFIGURE_PATH MAGICK_CODER_MODULE_PATH MAGICK_CODER_FILTER_PATH
    MAGICK_FILTER_MODULE_PATH MAGICK_HOME`,

  // git(1), "Environment Variables"; git-mergetool(1); svn: svnbook, "svn Reference"; hg help environment; cvs(1);
  // Perforce, "Environment and registry variables"; gh help environment
  versionControl: `GIT_SSH* GIT_EXEC_PATH GIT_EXTERNAL_DIFF GIT_ASKPASS GIT_PROXY_* GIT_TEMPLATE_DIR GIT_CONFIG*
    GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_SSL_* GIT_DIR GIT_COMMON_DIR GIT_WORK_TREE GIT_INDEX_FILE
    GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_GRAFT_FILE GIT_SHALLOW_FILE GIT_REPLACE_REF_BASE
    GIT_ATTR_SOURCE GIT_TRACE* GIT_TEXTDOMAINDIR GIT_MAN_VIEWER GIT_DIFF_TOOL GIT_DIFFTOOL_* GIT_ALLOW_PROTOCOL
    GIT_PROTOCOL_FROM_USER GIT_REDIRECT_* SVN_SSH SVN_EDITOR SVN_MERGE HG HGRCPATH HGEDITOR HGMERGE CVS_RSH CVS_SERVER
    CVSEDITOR CVSROOT P4CONFIG P4ENVIRO P4EDITOR P4DIFF P4MERGE P4PAGER GH_CONFIG_DIR GH_PATH GH_EDITOR GH_BROWSER
    GH_PAGER GLAB_CONFIG_DIR TIGRC_USER TIGRC_SYSTEM`,

  // GNU make manual, "Implicit Variables", "Options/Recursion"; gcc(1), "ENVIRONMENT";
  // learn.microsoft.com/cpp/build/reference/cl-environment-variables; autoconf manual, "Site Defaults";
  // cmake-env-variables(7); pkg-config(1); ccache(1); distcc(1); bazel.build/reference/command-line-reference;
  // nix.dev, "Common Environment Variables"; brew(1)
  builds: `MAKE MAKEFLAGS MFLAGS GNUMAKEFLAGS MAKEFILES MAKESHELL AR AS CC CXX CPP FC F77 LD LEX YACC RM TEX
    MAKEINFO NM RANLIB STRIP OBJCOPY ARFLAGS ASFLAGS CFLAGS CPPFLAGS CXXFLAGS FFLAGS LDFLAGS LDLIBS CPATH
    C_INCLUDE_PATH CPLUS_INCLUDE_PATH OBJC_INCLUDE_PATH LIBRARY_PATH COMPILER_PATH GCC_EXEC_PREFIX DEPENDENCIES_OUTPUT
    SUNPRO_DEPENDENCIES CCC_OVERRIDE_OPTIONS CL _CL_ _LINK_ CONFIG_SITE CONFIG_SHELL ACLOCAL_PATH M4PATH CMAKE_*
    PKG_CONFIG* CCACHE_* DISTCC_* BAZEL_SH BAZELISK_* SCONSFLAGS NIX_* HOMEBREW_* VCPKG_ROOT CONAN_HOME
    CONAN_USER_HOME DEVELOPER_DIR SDKROOT TOOLCHAINS ANDROID_HOME ANDROID_SDK_ROOT ANDROID_USER_HOME`,

  // clang.llvm.org/docs, the sanitizers' "run-time flags"; gcc manual, "Cross-profiling"; GDB manual, "Command
  // History"; debuginfod_find_debuginfo(3); valgrind manual, "Command-line Options"; perf(1)
  debuggers: `ASAN_* LSAN_* MSAN_* TSAN_* UBSAN_* GCOV_PREFIX GMON_OUT_PREFIX LLVM_PROFILE_FILE GDBHISTFILE
    DEBUGINFOD_* LLDB_DEBUGSERVER_PATH VALGRIND_* PERF_EXEC_PATH PERF_PAGER`,

  // openssl-env(7); SSL_CTX_load_verify_locations(3); curl(1); requests.readthedocs.io/en/latest/user/advanced;
  // krb5.conf(5), MIT Kerberos "Environment variables"; ldap.conf(5); unixODBC manual; Cyrus SASL "Options"
  trust: `OPENSSL_CONF OPENSSL_CONF_INCLUDE OPENSSL_MODULES OPENSSL_ENGINES SSL_CERT_FILE SSL_CERT_DIR SSLKEYLOGFILE
    CTLOG_FILE RANDFILE CURL_CA_BUNDLE CURL_SSL_BACKEND REQUESTS_CA_BUNDLE PYTHONHTTPSVERIFY HTTPLIB2_CA_CERTS
    GRPC_DEFAULT_SSL_ROOTS_FILE_PATH PERL_LWP_SSL_* GNUTLS_SYSTEM_PRIORITY_FILE PKCS11_MODULE_PATH P11_KIT_*
    SOFTHSM2_CONF KRB5_CONFIG* KRB5_KTNAME KRB5_TRACE KRB5_KDC_PROFILE GSS_MECH_CONFIG SASL_PATH SASL_CONF_PATH
    LDAPCONF LDAPRC LDAPTLS_* ODBCINI ODBCSYSINI ODBCINSTINI`,

  // nodejs.org/api/cli.html#environment-variables; docs.npmjs.com/cli/using-npm/config;
  // yarnpkg.com/configuration/yarnrc; pnpm.io/settings; github.com/nodejs/corepack#environment-variables;
  // bun.com/docs/runtime/env; docs.deno.com/runtime/reference/env_variables; typestrong.org/ts-node/docs/options;
  // github.com/nvm-sh/nvm
  node: `NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NODE_REPL_* NODE_V8_COVERAGE
    NODE_REDIRECT_WARNINGS NODE_COMPILE_CACHE NODE_CHANNEL_* NODE_CONFIG_DIR NPM_CONFIG_* NPM_EXECPATH
    NPM_NODE_EXECPATH YARN_* PNPM_* COREPACK_* BUN_* DENO_* TS_NODE_* MOCHA_OPTIONS ESBUILD_BINARY_PATH NVM_* VOLTA_*
    FNM_* NODENV_* ELECTRON_* PUPPETEER_EXECUTABLE_PATH PUPPETEER_CACHE_DIR PLAYWRIGHT_BROWSERS_PATH CHROME_BIN CYPRESS_RUN_BINARY TSX_TSCONFIG_PATH BABEL_CACHE_PATH
    CHROME_PATH FIREFOX_BIN PRISMA_QUERY_ENGINE_* PRISMA_SCHEMA_ENGINE_* PRISMA_ENGINES_MIRROR`,

  // docs.python.org/3/using/cmdline.html#environment-variables; pip.pypa.io/en/stable/topics/configuration;
  // docs.astral.sh/uv/reference/environment; python-poetry.org/docs/configuration;
  // pipenv.pypa.io/en/latest/configuration; docs.pytest.org/en/stable/reference; coverage.readthedocs.io;
  // docs.conda.io; docs.gunicorn.org/en/stable/settings.html; uwsgi-docs.readthedocs.io/en/latest/Configuration.html;
  // docs.jupyter.org/en/latest/use/jupyter-directories.html
  python: `PYTHON PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONINSPECT PYTHONUSERBASE PYTHONEXECUTABLE PYTHONPLATLIBDIR
    PYTHONBREAKPOINT PYTHONWARNINGS PYTHONPYCACHEPREFIX PYTHON_HISTORY PYTHON_PRESITE PIP_* PIPENV_* PIPX_* UV UV_*
    POETRY_* PDM_* HATCH_* TOX_* PYTEST_ADDOPTS PYTEST_PLUGINS COVERAGE_* PYENV_* VIRTUAL_ENV VIRTUALENV_* CONDA_*
    CONDARC MAMBA_* TWINE_CERT IPYTHONDIR JUPYTER_CONFIG_DIR JUPYTER_CONFIG_PATH JUPYTER_PATH JUPYTER_DATA_DIR
    JUPYTER_RUNTIME_DIR MPLCONFIGDIR MPLBACKEND MATPLOTLIBRC MYPYPATH PYLINTRC PYLINTHOME GUNICORN_CMD_ARGS UWSGI_*
    PRE_COMMIT_HOME`,

  // perlrun(1); Test::Harness, App::cpanminus, local::lib; ruby(1); guides.rubygems.org, "Environment variables";
  // bundle-config(1); rspec.info, "Configuration"; github.com/rbenv/rbenv
  perlAndRuby: `PERL5* PERLLIB PERLIO PERLIO_DEBUG PERL_MM_OPT PERL_MB_OPT PERL_CPANM_* PERL_LOCAL_LIB_ROOT
    HARNESS_OPTIONS HARNESS_PERL HARNESS_PERL_SWITCHES HARNESS_SUBCLASS RUBYOPT RUBYLIB RUBYSHELL RUBYPATH GEM_HOME
    GEM_PATH GEMRC GEM_SPEC_CACHE BUNDLE_* BUNDLER_* RBENV_* RUBYGEMS_GEMDEPS BOOTSNAP_CACHE_DIR THOR_DIFF SPRING_SERVER_COMMAND SPEC_OPTS RAKE_SYSTEM IRBRC PRYRC`,

  // java(1), JVM TI; maven.apache.org/configure.html; docs.gradle.org/current/userguide/build_environment.html;
  // ant.apache.org/manual/running.html; scala-sbt.org; leiningen.org; sdkman.io
  java: `JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JDK_JAVAC_OPTIONS IBM_JAVA_OPTIONS OPENJ9_JAVA_OPTIONS
    CLASSPATH JAVA_HOME JDK_HOME JRE_HOME JAVACMD MAVEN_OPTS MAVEN_ARGS MAVEN_CONFIG MAVEN_HOME MAVEN_CMD_LINE_ARGS
    MAVEN_PROJECTBASEDIR MAVEN_BASEDIR MAVEN_DEBUG_OPTS M2_HOME MVNW_* GRADLE_* ANT_* SBT_OPTS SBT_HOME LEIN_*
    CLJ_CONFIG CLJ_JVM_OPTS KOTLIN_HOME SCALA_HOME GROOVY_HOME JRUBY_OPTS TRUFFLERUBYOPT SDKMAN_* JENV_*`,

  // doc.rust-lang.org/cargo/reference/environment-variables.html;
  // rust-lang.github.io/rustup/environment-variables.html; go help environment, go help buildconstraint;
  // pkg.go.dev/cmd/cgo; asdf-vm.com; mise.jdx.dev/configuration.html
  rustAndGo: `CARGO CARGO_* RUSTC RUSTC_* RUSTDOC RUSTDOCFLAGS RUSTFLAGS RUSTFMT RUSTUP_* RUST_TARGET_PATH GOFLAGS
    GOENV GOPATH GOROOT GOBIN GOTOOLDIR GOPROXY GOSUMDB GONOSUMDB GONOSUMCHECK GONOPROXY GOPRIVATE GOINSECURE GOVCS
    GOTOOLCHAIN GOCACHE GOCACHEPROG GOMODCACHE GOTMPDIR GOWORK GOAUTH GOCOVERDIR GOPACKAGESDRIVER GCCGO GCCGOTOOLDIR
    CGO_* ASDF_* MISE_*`,

  // learn.microsoft.com/dotnet/core/tools/dotnet-environment-variables, .../core/runtime-config/debugging-profiling;
  // learn.microsoft.com/nuget/reference/cli-reference/cli-ref-environment-variables; mono(1); MSBuild makes a property
  // of every variable: learn.microsoft.com/visualstudio/msbuild/customize-your-build
  dotnet: `DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS DOTNET_SHARED_STORE DOTNET_ROOT* DOTNET_HOST_*
    DOTNET_CLI_HOME DOTNET_BUNDLE_EXTRACT_BASE_DIR DOTNET_DIAGNOSTICPORTS DOTNET_DBGMINIDUMPNAME
    DOTNET_ENABLEEVENTPIPE DOTNET_EVENTPIPEOUTPUTPATH DOTNET_GCNAME DOTNET_GCPATH DOTNET_JITNAME DOTNET_ALTJITNAME
    DOTNET_JITSTDOUTFILE DOTNET_MSBUILD_* DOTNET_SERVICING COMPLUS_* CORECLR_* COREHOST_* COR_ENABLE_PROFILING
    COR_PROFILER* DEVPATH MONO_* NUGET_* MSBUILD* CUSTOMBEFOREMICROSOFT* CUSTOMAFTERMICROSOFT* DIRECTORYBUILDPROPSPATH
    DIRECTORYBUILDTARGETSPATH DIRECTORYPACKAGESPROPSPATH ASPNETCORE_HOSTINGSTARTUPASSEMBLIES`,

  // php.net/manual/en/configuration.file.php; getcomposer.org/doc/03-cli.md#environment-variables; xdebug.org/docs;
  // lua(1); luarocks docs; erl(1); hexdocs.pm/mix; R: help(Startup); docs.julialang.org, "Environment Variables"; ghc
  // and cabal user guides; opam.ocaml.org; dart.dev/tools/pub/environment-variables; tclsh(1)
  otherLanguages: `PHPRC PHP_INI_SCAN_DIR PHP_BINARY COMPOSER COMPOSER_* XDEBUG_* LUA_INIT* LUA_PATH* LUA_CPATH*
    LUAROCKS_* ERL_* ELIXIR_ERL_OPTIONS ELIXIR_EDITOR MIX_HOME MIX_ARCHIVES MIX_PATH MIX_EXS MIX_REBAR3 MIX_DEPS_PATH
    MIX_BUILD_PATH HEX_HOME HEX_MIRROR HEX_CACERTS_PATH HEX_UNSAFE_* R_HOME R_PROFILE R_PROFILE_USER R_ENVIRON
    R_ENVIRON_USER R_LIBS R_LIBS_USER R_LIBS_SITE R_DEFAULT_PACKAGES JULIA_LOAD_PATH JULIA_DEPOT_PATH JULIA_PROJECT
    JULIA_BINDIR JULIA_HISTORY JULIA_PKG_SERVER GHCRTS GHC_ENVIRONMENT GHC_PACKAGE_PATH CABAL_DIR CABAL_CONFIG
    STACK_ROOT STACK_YAML CAML_LD_LIBRARY_PATH OCAMLLIB OPAM* PUB_CACHE PUB_HOSTED_URL TCLLIBPATH TCL_LIBRARY
    TK_LIBRARY`,

  // developer.hashicorp.com/terraform/cli/config/environment-variables, the same for Packer and Vagrant;
  // opentofu.org/docs/language/state/encryption; docs.ansible.com, "Ansible Configuration Settings";
  // terragrunt.gruntwork.io
  provisioning: `TF_CLI_* TF_PLUGIN_* TF_LOG_PATH TF_TEMP_LOG_PATH TF_DATA_DIR TF_REATTACH_PROVIDERS TF_ENCRYPTION
    TERRAFORM_CONFIG TERRAGRUNT_* TG_TF_PATH TG_CONFIG TFENV_* TFLINT_CONFIG_FILE TFLINT_PLUGIN_DIR PACKER_CONFIG
    PACKER_CONFIG_DIR PACKER_HOME_DIR PACKER_PLUGIN_PATH PACKER_LOG_PATH VAGRANT_* ANSIBLE_* PULUMI_HOME`,

  // kubernetes.io/docs/reference/kubectl; helm.sh/docs/helm/helm; k9scli.io; docs.docker.com/reference/cli/docker,
  // .../compose/how-tos/environment-variables/envvars, .../build/building/variables; containers.conf(5), podman(1);
  // github.com/containerd/nerdctl/blob/main/docs/config.md
  containers: `KUBECONFIG KUBERC KUBECACHEDIR KUBE_EDITOR KUBECTL_* HELM_* KREW_ROOT KUSTOMIZE_PLUGIN_HOME
    MINIKUBE_HOME K9SCONFIG K9S_CONFIG_DIR K9S_EDITOR DOCKER_* COMPOSE_FILE COMPOSE_ENV_FILES COMPOSE_PATH_SEPARATOR
    BUILDKIT_HOST BUILDX_* CONTAINER_HOST CONTAINER_CONNECTION CONTAINER_SSHKEY CONTAINERS_* CONTAINERD_* PODMAN_*
    NERDCTL_TOML REGISTRY_AUTH_FILE LIMA_HOME`,

  // docs.aws.amazon.com/cli, "Environment variables", .../lambda, "wrapper scripts";
  // cloud.google.com/sdk/docs/properties; google.aip.dev/auth/4117; learn.microsoft.com/cli/azure, "Azure CLI
  // configuration"; docs.oracle.com, OCI CLI
  clouds: `AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE AWS_CA_BUNDLE AWS_PAGER AWS_DATA_PATH AWS_CLI_HISTORY_FILE
    AWS_LAMBDA_EXEC_WRAPPER BOTO_CONFIG BOTO_PATH CLOUDSDK_* GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES
    AZURE_CONFIG_DIR AZURE_EXTENSION_DIR AZD_CONFIG_DIR OCI_CLI_RC_FILE OCI_CLI_CONFIG_FILE`,

  // postgresql.org/docs/current/libpq-envars.html, .../app-psql.html; dev.mysql.com, "Environment Variables";
  // sqlite3(1); redis-cli; Oracle Net, SQL*Plus "Environment Variables"; HDF5 and GDAL drivers; Open MPI, "MCA
  // parameters"; smbclient
  data: `PGSYSCONFDIR PGSERVICEFILE PGLOCALEDIR PSQLRC PSQL_* MYSQL_HOME MYSQL_TEST_LOGIN_FILE MYSQL_HISTFILE
    LIBMYSQL_PLUGIN* SQLITE_HISTORY REDISCLI_RCFILE REDISCLI_HISTFILE ORACLE_HOME ORACLE_PATH SQLPATH TNS_ADMIN
    HDF5_PLUGIN_PATH GDAL_DRIVER_PATH GDAL_PYTHON_DRIVER_PATH OMPI_MCA_* PMIX_MCA_* SLURM_CONF LIBSMB_PROG`,

  // docs.gtk.org/gtk3/running.html; docs.gtk.org/gio, "Running GIO applications"; doc.qt.io, "Deploying Plugins";
  // gstreamer "Running and debugging"; X(7); Vulkan loader, "LoaderInterfaceArchitecture";
  // docs.mesa3d.org/envvars.html; dconf(7)
  desktop: `GTK_MODULES GTK3_MODULES GTK_PATH GTK_EXE_PREFIX GTK_DATA_PREFIX GTK_IM_MODULE GTK_IM_MODULE_FILE
    GTK_RC_FILES GTK2_RC_FILES GDK_PIXBUF_MODULE_FILE GDK_PIXBUF_MODULEDIR GIO_EXTRA_MODULES GIO_MODULE_DIR GIO_USE_*
    GI_TYPELIB_PATH GSETTINGS_BACKEND GSETTINGS_SCHEMA_DIR GST_PLUGIN_* GST_REGISTRY* GST_DEBUG_FILE DCONF_PROFILE
    QT_* QML_IMPORT_PATH QML2_IMPORT_PATH KDEDIRS KDEHOME XAUTHORITY XLOCALEDIR XENVIRONMENT XAPPLRESDIR
    XFILESEARCHPATH XUSERFILESEARCHPATH VK_ICD_FILENAMES VK_DRIVER_FILES VK_ADD_DRIVER_FILES VK_LAYER_PATH
    VK_ADD_LAYER_PATH VK_INSTANCE_LAYERS LIBGL_DRIVERS_PATH LIBVA_DRIVERS_PATH VDPAU_DRIVER_PATH __EGL_* __GLX_*
    GBM_BACKENDS_PATH OCL_ICD_* ALSA_CONFIG_PATH ALSA_PLUGIN_DIR SPA_PLUGIN_DIR PIPEWIRE_MODULE_DIR LADSPA_PATH
    FONTCONFIG_FILE FONTCONFIG_PATH`,
};

/** Common names with such a prefix that are harmless: settings of other programs, and plain credentials. */
const NOT_RESERVED = new Set(
  `UV_THREADPOOL_SIZE UV_USE_IO_URING UV_PUBLISH_TOKEN DOCKER_USERNAME DOCKER_PASSWORD CARGO_REGISTRY_TOKEN
    COMPOSER_AUTH NUGET_API_KEY YARN_NPM_AUTH_TOKEN DENO_DEPLOY_TOKEN ANSIBLE_VAULT_PASSWORD`.split(/\s+/),
);

const PATTERNS = Object.values(RESERVED).flatMap((names) => names.split(/\s+/));
const EXACT = new Set(PATTERNS.filter((pattern) => !pattern.endsWith("*")));
const PREFIXES = PATTERNS.filter((pattern) => pattern.endsWith("*")).map((pattern) => pattern.slice(0, -1));

/** Whether a variable of this name could hijack the program that receives it, or one that this program starts. */
export function isReservedName(name: string): boolean {
  const upperCase = name.toUpperCase();
  if (NOT_RESERVED.has(upperCase)) return false;
  return EXACT.has(upperCase) || PREFIXES.some((prefix) => upperCase.startsWith(prefix));
}
