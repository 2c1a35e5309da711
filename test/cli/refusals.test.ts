import { chmod, copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runCli } from "../support/cli.js";
import { aVariable } from "../support/records.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const EXAMPLE = fileURLToPath(new URL("../../data/example.json", import.meta.url));
const ENVIRONMENTS =
  "shop/development, shop/test, shop/production, billing/development, billing/test, billing/production";
const VARIABLE_NAME =
  "a name is 1 to 255 letters, digits, _ . or -, beginning with a letter or _ and not ending in 99914b932bd37a50b983c5e7c90ae93b";
const TYPES = "It must be one of STRING, NUMBER, BOOLEAN, JSON.";
const NO_PLACE = "must be a data file or the URL of a store: etcd://… or etcds://…";
const REQUEST_PATH =
  "the path must begin with a slash and be percent-encoded, as in /v1/variables?limit=2";
const UNREACHABLE =
  "can't reach http://127.0.0.1:1 (--url): connection refused; is the server running?";

type Refusal = [line: string, message: string];

/** Data files that break a rule. */
const BROKEN = {
  "syntax.json": '{\n  "version": 1\n  "environments": []\n}\n',
  "twice.json":
    '{\n"version": 1,\n"environments": [{ "id": 1, "name": "test", "api_key": "k", "api_secret": "a", "api_secret": "b" }],\n"variables": [], "values": [] }',
  "rules.json": JSON.stringify({
    version: 1,
    environments: [{ id: 1, name: "test", api_key: "k", api_secret: "s" }],
    variables: [aVariable({ id: 1, type: "NUMBER", name: "PORT" })],
    values: [{ id: 1, variable_id: 1, environment_id: 1, content: { value: "text" } }],
  }),
};

/**
 * Runs a line in which `DIR/` is a folder with the example data, which is in use by default, and
 * broken files. Expects the code, the message (or with --json, its JSON), nothing on stdout, and
 * that no file was changed or created.
 */
async function expectRefusal(code: number, line: string, message: string): Promise<void> {
  const folder = await temporaryFolder();
  await copyFile(EXAMPLE, join(folder, "example.json"));
  await chmod(join(folder, "example.json"), 0o600);
  for (const [name, text] of Object.entries(BROKEN)) await writeFile(join(folder, name), text);
  const argv = line
    .split(" ")
    .map((word) => (word === "''" ? "" : word.replaceAll("DIR/", `${folder}/`)));
  const data = { APPVARS_DATA: join(folder, "example.json"), APPVARS_ENV: "shop/test" };
  const env = { ...data, APPVARS_API_KEY: "k", APPVARS_API_SECRET: "s" };
  const { stderr, ...rest } = await runCli(argv, { env });
  const shown = stderr.replaceAll(`${folder}/`, "DIR/");
  expect({ ...rest, stderr: shown }).toEqual({
    code,
    stdout: "",
    stderr: message.startsWith("{") ? `${message}\n` : `appvars: ${message}\n`,
  });
  expect(await readFile(join(folder, "example.json"), "utf8")).toBe(
    await readFile(EXAMPLE, "utf8"),
  );
  expect(await readdir(folder)).toHaveLength(1 + Object.keys(BROKEN).length);
}

describe("a usage error exits 2 and changes nothing", () => {
  it.each<Refusal>([
    ["get PORT --env test --env production", "--env is given more than once"],
    ["run --env test --env=production -- true", "--env is given more than once"],
    [
      "list --json --env test --json --env production",
      '{"error":{"code":"usage","message":"--env is given more than once"}}',
    ],
    ["env rotate test --grace 1h --grace 2h", "--grace is given more than once"],
    ["run --exec=1 -- true", "--exec takes no value"],
    [
      "profile add .x --url http://a",
      "the name of a profile must be 1 to 64 letters, digits, _ . or -, and not begin with . or -",
    ],
    ["profile list --quiet=yes", "--quiet takes no value"],
    ["list --vales", "unknown option '--vales' (did you mean --values?)"],
    ["get PORT -0n", "option '-0, --null' cannot be used with option '-n, --no-newline'"],
    // The value of an unknown flag may be a secret, and is not repeated.
    [
      "list --api-secret=hunter2",
      "there is no --api-secret, since the process list would show it: set APPVARS_API_SECRET, or name a file with --api-secret-file",
    ],
    [
      "set KEY -hunter2",
      "unknown option; a value that begins with - comes after --: appvars set NAME -- VALUE",
    ],
    ["set A=hunter2", "the name and the value are two arguments: appvars set A VALUE"],
    ["set 2FA=hunter2", `"2FA" can't be a variable's name: ${VARIABLE_NAME}`],
    ["get --cache 12h PORT", "the age follows --cache after =: --cache=12h"],
    ["run --cache 12h ls", "the age follows --cache after =: --cache=12h"],
    ["run --watch 5s -- ls", "the interval follows --watch after =: --watch=5s"],
    ["run --watch 0.5 ls", "the interval follows --watch after =: --watch=0.5"],
    [
      "run --watch=5x ls",
      "option '--watch[=interval]' argument '5x' is invalid. It must be seconds or a time such as 5s or 5m, from 0.1 to 2000000 seconds.",
    ],
    ["run --interval=5 ls", "unknown option '--interval' (did you mean --watch=TIME?)"],
    [
      "import --from vault",
      "unknown option '--from' (docs/recipes.md shows how to move from another tool)",
    ],
    ["export --output ''", "--output must not be empty"],
    ["export --format github --output ''", "--output must not be empty"],
    [
      "export --only NODE_OPTIONS --allow-reserved PATH",
      "--only names reserved variables, which can make programs run other code: NODE_OPTIONS; to pass them on, add --allow-reserved NODE_OPTIONS",
    ],
    ["list --type text", `option '--type <type>' argument 'text' is invalid. ${TYPES}`],
    ["list DATABASE_URL", "too many arguments for 'list'. Expected 0 arguments but got 1."],
    [
      "get",
      `missing required argument 'name'; for example: DATABASE_URL="$(appvars get DATABASE_URL)"`,
    ],
    [
      "get --timeout x PORT --url http://127.0.0.1:1",
      "--timeout must be a number of seconds, 0.001 to 2000000",
    ],
    [
      "get --max-wait -1 PORT --url http://127.0.0.1:1",
      "--max-wait must be a number of seconds, 0 to 2000000",
    ],
    ["get PORT --auth basic --url http://127.0.0.1:1", "--auth must be one of hmac, headers"],
    [
      "get PORT --url ftp://localhost",
      "--url: the server's URL must look like http://127.0.0.1:7400",
    ],
    [
      "get PORT --api-secret-file DIR/missing.txt --url http://127.0.0.1:1",
      "--api-secret-file DIR/missing.txt can't be read (ENOENT)",
    ],
    [
      "get --cache=0 PORT",
      "option '--cache[=age]' argument '0' is invalid. It must be whole seconds or a time such as 12h, from 1 second to 30 days; omit --cache to cache nothing.",
    ],
    [
      "get PORT --data DIR/example.json --env development",
      'the environment "development" is ambiguous: name one of shop/development, billing/development',
    ],
    [
      "get PORT --data DIR/example.json --url http://127.0.0.1:1",
      "--url and --data are mutually exclusive: use only one",
    ],
    [
      "set PORT 1 --data DIR/example.json --store etcd://127.0.0.1:1",
      "--data and --store are mutually exclusive: use only one",
    ],
    [
      "get PORT --store http://127.0.0.1:1",
      "--store must be like etcd://h1:2379,h2:2379/prefix, or etcds:// for TLS",
    ],
    [
      "list --store etcd://me:hunter2@127.0.0.1",
      "--store must not contain a user or password: set APPVARS_STORE_USER and APPVARS_STORE_PASSWORD",
    ],
    [
      "list --store etcd://127.0.0.1:1 --seal-key-file DIR/missing.txt",
      "--seal-key-file DIR/missing.txt can't be read (ENOENT)",
    ],
    [
      "set PORT 1 --store etcd://127.0.0.1:1 --seal-key-file -",
      "--seal-key-file must be a file, not stdin",
    ],
    [
      "export --format jsn",
      "option '--format <format>' argument 'jsn' is invalid. Allowed choices are dotenv, shell, fish, json, yaml, docker, tfvars, github, kubernetes, compose, systemd, powershell, typescript.",
    ],
    ["export --format typescript --strict", "--strict is for values, not for typescript"],
    [
      "export --format typescript --name web",
      "--name is for kubernetes and compose, not for typescript",
    ],
    ["export --name web", "--name is for kubernetes and compose, not for dotenv"],
    [
      "export --format kubernetes --name My_App",
      "--name must be lower-case letters, digits, - and ., up to 253, and begin and end with a letter or digit",
    ],
    ["export --format compose --name a/b", "--name must be letters, digits, ., _ and -"],
    [
      "export --only PORT,",
      "option '--only <names>' argument 'PORT,' is invalid. It must be names separated by commas or spaces.",
    ],
    [
      "list --name-transformer snake",
      "option '--name-transformer <style>' argument 'snake' is invalid. Allowed choices are upper, lower, tf-var.",
    ],
    [
      "diff shop/test",
      "missing required argument 'b'; for example: appvars diff test production --data vars.json",
    ],
    [
      "set PORT abc",
      "a NUMBER must be a JSON number in the range and precision of a double; for any other text, use the type STRING",
    ],
    ["set DEBUG yes", "a BOOLEAN is true or false"],
    ["set LIMITS { --type json", "not valid JSON: line 1, column 2: unexpected end of file"],
    ["set '' x", `"" can't be a variable's name: ${VARIABLE_NAME}`],
    [
      "set PORT99914b932bd37a50b983c5e7c90ae93b 1",
      `"PORT99914b932bd37a50b983c5e7c90ae93b" can't be a variable's name: ${VARIABLE_NAME}`,
    ],
    ["set PORT 1 --type text", `option '--type <type>' argument 'text' is invalid. ${TYPES}`],
    [
      "set PORT",
      'there is no value: run appvars set PORT VALUE, or write it to stdin; for an empty value, pass "" or -',
    ],
    ["set PORT 1 2", "too many arguments for 'set'. Expected 2 arguments but got 3."],
    [
      "unset",
      "missing required argument 'name'; for example: appvars unset DEBUG --data vars.json --env production",
    ],
    [
      "import .env --format toml",
      "option '--format <format>' argument 'toml' is invalid. Allowed choices are dotenv, json, yaml.",
    ],
    [
      "env add a/b/c --data DIR/example.json",
      "the name must be like staging or shop/staging, each part 1 to 255 characters, none of them a slash or a control character",
    ],
    [
      "env remove",
      "missing required argument 'name'; for example: appvars env remove shop/staging --data vars.json --yes",
    ],
    [
      "env rename shop/test",
      "missing required argument 'new'; for example: appvars env rename shop/staging qa --data vars.json",
    ],
    ["env rename shop/test production", "the environment shop/production already exists"],
    ["env rename shop/test shop/test", "the environment shop/test already exists"],
    [
      "env rename test qa",
      'the environment "test" is ambiguous: name one of shop/test, billing/test',
    ],
    [
      "env rename shop/test billing/qa",
      "shop/test has variables of its application: it can't have a name in another",
    ],
    ["env add shop/test --from shop/development", "the environment shop/test already exists"],
    [
      "audit",
      "missing required argument 'file'; for example: appvars audit audit.log --since 2026-01-31 --client ana --data vars.json",
    ],
    ["env key add shop/test", "required option '--name <client>' not specified"],
    [
      "env key add shop/test --name a/b",
      "the name of a key must have 1 to 255 characters, none of them a slash or a control character",
    ],
    [
      "env key add shop/test --name ana --expires 2020-01-01",
      "option '--expires <time>' argument '2020-01-01' is invalid. It must be a time in the future.",
    ],
    [
      "env key add shop/test --name ana --expires 2099-02-31",
      "option '--expires <time>' argument '2099-02-31' is invalid. It must be a date such as 2026-01-31, or a time such as 90s, 30m, 24h or 7d.",
    ],
    [
      "env key add shop/test --name ana --expires tomorrow",
      "option '--expires <time>' argument 'tomorrow' is invalid. It must be a date such as 2026-01-31, or a time such as 90s, 30m, 24h or 7d.",
    ],
    [
      "env key add shop/test --name ana --only DB/*",
      "option '--only <names>' argument 'DB/*' is invalid. It must be a name or a glob such as DB_*: 1 to 255 letters, digits and _ . - * ? [ ] ! ^.",
    ],
    [
      "env key rotate shop/test",
      "missing required argument 'key'; for example: appvars env key rotate production ana --grace 24h --data vars.json",
    ],
    [
      "rename PORT",
      "missing required argument 'new'; for example: appvars rename DB_URL DATABASE_URL --data vars.json --dry-run",
    ],
    [
      "merge",
      "missing required argument 'file'; for example: git config merge.appvars.driver 'appvars merge %O %A %B %P' && git config diff.appvars.textconv 'appvars diff'",
    ],
    [
      "merge DIR/example.json DIR/example.json",
      "merge takes three files, and a name for messages: BASE OURS THEIRS [PATH]",
    ],
    ["init --git --store etcd://127.0.0.1:1/appvars", "--git and --seal are for a data file"],
    ["rename PORT DEBUG", "shop already has a variable DEBUG"],
    ["rename PORT PORT", "shop already has a variable PORT"],
    ["rename PORT 2FA", `"2FA" can't be a variable's name: ${VARIABLE_NAME}`],
    [
      "rename DATABASE_URL DB_URL",
      "which application? add --application with one of shop, billing",
    ],
    [
      "unset DATABASE_URL --all-envs",
      "which application? add --application with one of shop, billing",
    ],
    ["set NEW 1 --all-envs", "which application? add --application with one of shop, billing"],
    [
      "set PORT 1 --all-envs --env shop/test",
      "option '--all-envs' cannot be used with option '-e, --env <name>'",
    ],
    ["set PORT 1 --application shop", "--application is for --all-envs"],
    ["set PORT 1 --env shop/test --env ''", "--env must not be empty"],
    [
      "set PORT text --type string --env shop/test --env shop/production",
      "PORT can't become a STRING: its value in another environment is not a STRING",
    ],
    ["rollback 1 --dry-run=yes", "--dry-run takes no value"],
    [
      "env rotate shop/test --data DIR/example.json --grace soon",
      "option '--grace <duration>' argument 'soon' is invalid. It must be a time such as 90s, 30m, 24h or 7d.",
    ],
    [
      "migrate DIR/example.json",
      "missing required argument 'to'; for example: appvars migrate vars.json etcd://127.0.0.1:2379/appvars",
    ],
    ["migrate DIR/example.json DIR/./example.json", "FROM and TO are the same file"],
    // Neither a user nor a password is repeated.
    [
      "history --prune 1 --data DIR/example.json",
      '--prune is for a store: a data file has its limit in "history": {"entries": 1000}',
    ],
    [
      "history PORT --prune 1 --data DIR/example.json",
      "--prune removes entries of all environments and variables: omit NAME and --env",
    ],
    [
      "history --limit all --data DIR/example.json",
      "option '--limit <changes>' argument 'all' is invalid. It must be a number of entries.",
    ],
    [
      "rollback 0 --data DIR/example.json",
      "command-argument value '0' is invalid for argument 'number'. It must be the number of a change.",
    ],
    [
      "history --prune=-1 --store etcd://127.0.0.1",
      "option '--prune <entries>' argument '-1' is invalid. It must be a number of entries.",
    ],
    ["migrate http://me:hunter2@host DIR/new.json", `FROM ${NO_PLACE}`],
    ["migrate DIR/example.json ''", `TO ${NO_PLACE}`],
    [
      "migrate DIR/example.json etcd://me:hunter2@host/vars",
      "TO must not contain a user or password: set APPVARS_STORE_USER and APPVARS_STORE_PASSWORD",
    ],
    ["seal etcd://127.0.0.1:1/vars", "to seal a store, use --seal-key-file or APPVARS_SEAL_KEY"],
    ["seal http://me:hunter2@host", `DATA ${NO_PLACE}`],
    ["seal DIR/a.json DIR/b.json", "too many arguments for 'seal'. Expected 1 argument but got 2."],
    ["unseal DIR/example.json", "to unseal, use --seal-key-file or APPVARS_SEAL_KEY"],
    [
      "unseal etcd://127.0.0.1:1/vars --seal-key-file DIR/example.json",
      "unseal is for a data file",
    ],
    ["init --seal --store etcd://127.0.0.1:1/vars", "--git and --seal are for a data file"],
    [
      "run",
      "missing required argument 'command'; for example: appvars run --only DATABASE_URL,PORT -- node server.js",
    ],
    [
      "run --only NODE_OPTIONS -- true",
      "--only names reserved variables, which can make programs run other code: NODE_OPTIONS; to pass them on, add --allow-reserved NODE_OPTIONS",
    ],
    [
      "run --allow-reserved echo not reached",
      "option '--allow-reserved <names>' argument 'echo' is invalid. \"echo\" is not a reserved name. Separate reserved names with commas.",
    ],
    ["sandbox", "missing required argument 'command'; for example: appvars sandbox -- npm test"],
    [
      "sandbox --fail-rate 2 -- true",
      "option '--fail-rate <share>' argument '2' is invalid. It must be a share from 0 to 1, such as 0.25.",
    ],
    ["sign G.T /", "the method must be a word such as GET"],
    ["sign GET v1/variables", REQUEST_PATH],
    ["sign GET /v1/variables#x", REQUEST_PATH],
    [
      "openapi --format xml",
      "option '--format <format>' argument 'xml' is invalid. Allowed choices are json, yaml.",
    ],
    [
      "completion powershell",
      "command-argument value 'powershell' is invalid for argument 'bash|zsh|fish'. Allowed choices are bash, zsh, fish.",
    ],
    [
      "completion",
      "missing required argument 'bash|zsh|fish'; for example: source <(appvars completion bash)",
    ],
    [
      "serve --data DIR/example.json --port 65536",
      "option '--port <port>' argument '65536' is invalid. It must be a whole number from 0 to 65535.",
    ],
    [
      "serve --data DIR/example.json --port 0 --rate-limit 5/0s",
      "option '--rate-limit <requests[/time]>' argument '5/0s' is invalid. It must be requests in a time of up to a day, such as 7500/60s or 7500, or 0 for no limit.",
    ],
    [
      "serve --data DIR/example.json --port 0 --workers 2",
      "--workers is no longer supported: run several servers behind a load balancer (docs/scaling.md), each with --trust-proxy, or all clients share one counter",
    ],
    [
      "serve --data DIR/example.json --port 0 --rate-limit-store redis://:hunter2@127.0.0.1:1",
      "--rate-limit-store is no longer supported: each server counts requests by itself, so that several allow as many times the limit (docs/scaling.md)",
    ],
    [
      "serve --data DIR/example.json --port 0 --log-format xml",
      "option '--log-format <format>' argument 'xml' is invalid. Allowed choices are pretty, json.",
    ],
    [
      "serve --data DIR/example.json --port 0 --max-stale 5m",
      "--max-stale needs a data store: a data file has no age",
    ],
  ])("appvars %s", async (line, message) => {
    await expectRefusal(2, line, message);
  });

  it.each([
    ["", "the host must be an address or a name"],
    ["192.0.2.1", "--host 192.0.2.1 is not an address of this machine"],
  ])("serve refuses to listen on --host '%s'", async (host, message) => {
    const { code, stdout, stderr } = await runCli([
      "serve",
      "--data",
      EXAMPLE,
      "--port",
      "0",
      "--host",
      host,
    ]);
    expect([code, stdout]).toEqual([2, ""]);
    // Before it, there may be a warning that others may read the example.
    expect(stderr.split("\n").at(-2)).toBe(`appvars: ${message}`);
  });

  it.each([["get PORT"], ["sandbox -- true"]])(
    "appvars %s needs the name of an environment",
    async (line) => {
      const [command = "", ...words] = line.split(" ");
      const { code, stdout, stderr } = await runCli([command, "--data", EXAMPLE, ...words]);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toBe(`appvars: which environment? add --env with one of ${ENVIRONMENTS}\n`);
    },
  );

  it("a variable with an invalid number is named as the source of the error", async () => {
    const { code, stdout, stderr } = await runCli(["get", "PORT"], {
      env: { APPVARS_TIMEOUT: "x" },
    });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe("appvars: APPVARS_TIMEOUT must be a number of seconds, 0.001 to 2000000\n");
  });
});

describe("a name that does not exist exits 3 and changes nothing", () => {
  it.each<Refusal>([
    ["get PROT", 'there is no variable "PROT" (did you mean PORT?)'],
    [
      "get PORT --env shop/staging",
      `no environment named "shop/staging"; there is ${ENVIRONMENTS}`,
    ],
    ["show SENTRI_DSN", 'there is no variable "SENTRI_DSN" (did you mean SENTRY_DSN?)'],
    ["show NO_SUCH_NAME", 'there is no variable "NO_SUCH_NAME"'],
    ["run --only PORT,PROT -- true", 'there is no variable "PROT" (did you mean PORT?)'],
    ["export --only PORT,REDIS_* --format json", "REDIS_* matches no variable in this environment"],
    ["list --only PROT", 'there is no variable "PROT" (did you mean PORT?)'],
    ["set PORT 1 --env nope", `no environment named "nope"; there is ${ENVIRONMENTS}`],
    ["unset SENTRY_DSN", '"SENTRY_DSN" has no value in shop/test'],
    [
      "unset SENTRY_DSN --env shop/test --env shop/development",
      '"SENTRY_DSN" has no value in shop/test, shop/development',
    ],
    ["unset PROT --all-envs", 'there is no variable "PROT" (did you mean PORT?)'],
    [
      "set PORT 1 --env shop/test --env nope",
      `no environment named "nope"; there is ${ENVIRONMENTS}`,
    ],
    [
      "set PORT 1 --all-envs --application shp",
      'there is no application "shp" (did you mean shop?)',
    ],
    ["rename PROT LISTEN", 'there is no variable "PROT" (did you mean PORT?)'],
    ["rename PORT LISTEN --application billing", 'there is no variable "PORT" in billing'],
    [
      "env rename shop/tset qa",
      `no environment named "shop/tset" (did you mean shop/test?); there is ${ENVIRONMENTS}`,
    ],
    [
      "env add qa --from shop/tset",
      `no environment named "shop/tset" (did you mean shop/test?); there is ${ENVIRONMENTS}`,
    ],
    ["set PORT 1 --env nope --dry-run", `no environment named "nope"; there is ${ENVIRONMENTS}`],
    [
      "diff shop/test shop/staging --data DIR/example.json",
      `no environment named "shop/staging"; there is ${ENVIRONMENTS}`,
    ],
    [
      "env rotate shop/staging --data DIR/example.json",
      `no environment named "shop/staging"; there is ${ENVIRONMENTS}`,
    ],
    [
      "env credentials shop/staging --data DIR/example.json",
      `no environment named "shop/staging"; there is ${ENVIRONMENTS}`,
    ],
  ])("appvars %s", async (line, message) => {
    await expectRefusal(3, line, message);
  });
});

it.each<Refusal>([
  ["get PORT --url http://127.0.0.1:1 --max-wait 0.2 --quiet", UNREACHABLE],
  [
    "get PORT --url http://127.0.0.1:1 --max-wait 0.2 --json",
    `{"error":{"code":"unreachable","message":"${UNREACHABLE}"}}`,
  ],
  ["health --url http://127.0.0.1:1 --max-wait 0", UNREACHABLE],
])("a server that can't be reached exits 5: appvars %s", async (line, message) => {
  await expectRefusal(5, line, message);
});

describe("a data file that is missing or breaks a rule exits 8 and is not changed", () => {
  const syntax = "DIR/syntax.json is not valid JSON: line 3, column 3: comma expected";
  const missing = "DIR/missing.json can't be read: no such file or folder";
  const rules = `DIR/rules.json values[0] (id 1): content.value must be a NUMBER, like its variable "PORT"`;
  it.each<Refusal>([
    ["list --data DIR/missing.json --env test", missing],
    ["set PORT 1 --data DIR/missing.json --env test", missing],
    ["health --data DIR/missing.json --env test", missing],
    ["diff DIR/missing.json:test DIR/example.json:shop/test", missing],
    ["list --data DIR/syntax.json --env test", syntax],
    ["set PORT 1 --data DIR/syntax.json --env test", syntax],
    ["env list --data DIR/syntax.json", syntax],
    ["merge DIR/example.json DIR/example.json DIR/syntax.json", syntax],
    ["merge DIR/missing.json DIR/example.json DIR/example.json", missing],
    ["diff DIR/syntax.json:a DIR/syntax.json:b", syntax],
    ["diff DIR/syntax.json", syntax],
    ["serve --data DIR/syntax.json --port 0", syntax],
    ["list --data DIR/rules.json --env test", rules],
    [
      "get PORT --data DIR/rules.json --env test --json",
      `{"error":{"code":"invalid_data","message":${JSON.stringify(rules)}}}`,
    ],
    ["import - --data DIR/rules.json --env test", `stdin contains no variables\nappvars: ${rules}`],
    [
      "list --data DIR/twice.json --env test",
      "DIR/twice.json is not valid JSON: line 3, column 80: a duplicate key in an object",
    ],
    ["list --data / --env test", "/ can't be read: it is a folder"],
    ["migrate DIR/missing.json DIR/new.json", missing],
    ["migrate DIR/rules.json DIR/new.json", rules],
    ["migrate DIR/example.json DIR/syntax.json", syntax],
    [
      "migrate DIR/example.json DIR/none/new.json",
      "DIR/none/new.json can't be written: no such file or folder",
    ],
  ])("appvars %s", async (line, message) => {
    await expectRefusal(8, line, message);
  });
});
