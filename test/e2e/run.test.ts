import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { encrypt } from "../../src/client/envelope.js";
import { BINARY, type Finished, run } from "../support/binary.js";
import { CREDENTIALS, DATA, edited } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { runningServer } from "../support/running-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

type Env = Record<string, string>;

/** The variables of shop/development in a file, with these values in place of two texts. */
async function local(
  values: { url?: unknown; flags?: unknown } = {},
  names: Env = {},
): Promise<Env> {
  const { path } = await dataFile(
    edited((data) => {
      const [, url, , flags] = data.values;
      if ("url" in values) url.content.value = values.url;
      if ("flags" in values) flags.content.value = values.flags;
      for (const variable of data.variables)
        if (Object.hasOwn(names, variable.name)) variable.name = names[variable.name];
    }),
  );
  return { APPVARS_DATA: path, APPVARS_ENV: "shop/development" };
}

function appvars(args: readonly string[], env: Env): Promise<Finished> {
  return run(process.execPath, [BINARY, "run", ...args], env);
}

/** The environment of the program, after these flags. */
async function environment(flags: readonly string[], env: Env): Promise<Env> {
  const print = "console.log(JSON.stringify(Object.entries(process.env)))";
  const { stdout } = await appvars([...flags, "--", process.execPath, "-e", print], env);
  return Object.fromEntries(JSON.parse(stdout));
}

describe("the program's environment", () => {
  it("run passes all values: strings as they are, other types as JSON", async () => {
    expect(await environment([], { ...(await local()), INHERITED: "yes" })).toMatchObject({
      DATABASE_URL: "postgres://localhost/dev",
      PORT: "3000",
      DEBUG: "true",
      FLAGS: '{"beta":["x",null,1.5]}',
      EMPTY: "",
      INHERITED: "yes",
    });
  });

  it("run passes a variable called __proto__ like any other", async () => {
    const seen = await environment(["--only", "__proto__"], await local());
    expect(Object.entries(seen)).toContainEqual(["__proto__", "not a prototype"]);
  });

  it("run passes the values of a server", async () => {
    const { url } = await runningServer();
    const env = { APPVARS_URL: url, ...CREDENTIALS };
    expect(await environment(["--only", "PORT"], env)).toMatchObject({
      PORT: "3000",
      APPVARS_URL: url,
    });
  });

  it("run --only passes only the named variables", async () => {
    const seen = await environment(["--only", "PORT,DEBUG", "--pristine"], {
      ...(await local()),
      INHERITED: "yes",
    });
    expect(Object.keys(seen).sort()).toEqual(["DEBUG", "PATH", "PORT"]);
  });

  it("run --prefix prepends the prefix to each name", async () => {
    const seen = await environment(["--prefix", "MY_", "--only", "PORT"], await local());
    expect(seen).toMatchObject({ MY_PORT: "3000" });
    expect(seen).not.toHaveProperty("PORT");
  });

  it("run replaces variables that are already set, and --preserve-env keeps even empty ones", async () => {
    const env = { ...(await local()), PORT: "", DEBUG: "mine" };
    expect(await environment([], env)).toMatchObject({ PORT: "3000", DEBUG: "true" });
    expect(await environment(["--preserve-env"], env)).toMatchObject({
      PORT: "",
      DEBUG: "mine",
      EMPTY: "",
    });
  });

  it("run leaves out reserved names with a warning, unless --allow-reserved", async () => {
    const env = await local({}, { DATABASE_URL: "LD_LIBRARY_PATH", PORT: "SAFE" });
    const { stdout, stderr } = await appvars(
      ["--", "sh", "-c", 'echo "<$LD_LIBRARY_PATH> <$SAFE>"'],
      env,
    );
    expect(stdout).toBe("<> <3000>\n");
    expect(stderr).toContain("left out LD_LIBRARY_PATH: ");
    const args = [
      "--allow-reserved",
      "LD_LIBRARY_PATH",
      "--",
      "sh",
      "-c",
      'echo "<$LD_LIBRARY_PATH>"',
    ];
    const allowed = await appvars(args, env);
    expect(allowed).toEqual({ code: 0, stdout: "<postgres://localhost/dev>\n", stderr: "" });
  });

  it("run warns of reserved names despite --quiet, and as JSON with --json", async () => {
    const env = await local({}, { DATABASE_URL: "TAR_OPTIONS", PORT: "PS1" });
    const { stderr } = await appvars(["--quiet", "--allow-reserved", "PS1", "--", "true"], env);
    expect(stderr).toMatch(
      /^appvars: left out TAR_OPTIONS: .*; to keep them, add --allow-reserved TAR_OPTIONS\n$/,
    );
    const inJson = await appvars(["--json", "--", "true"], env);
    expect(JSON.parse(inJson.stderr).warning.message).toMatch(/^left out .*TAR_OPTIONS/);
  });

  it("run checks names with their prefix for reserved ones", async () => {
    const { code, stderr } = await appvars(["--prefix", "LD_", "--", "true"], await local());
    expect([code, stderr]).toEqual([0, expect.stringContaining("LD_DEBUG")]);
    const allowed = await appvars(
      ["--prefix", "LD_", "--only", "PORT", "--allow-reserved", "LD_PORT", "env"],
      await local(),
    );
    expect(allowed.stdout).toContain("LD_PORT=3000\n");
  });

  it("run starts nothing when --only names a reserved variable, unless --preserve-env keeps the current one", async () => {
    const env = await local({}, { DATABASE_URL: "PATH" });
    const { code, stdout, stderr } = await appvars(
      ["--only", "PORT,PATH", "--", "echo", "started"],
      env,
    );
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(
      /^appvars: --only names reserved variables, .*: PATH; .* --allow-reserved PATH\n$/,
    );
    const kept = await appvars(["--only", "PATH", "--preserve-env", "--", "echo", "started"], env);
    expect(kept).toEqual({ code: 0, stdout: "started\n", stderr: "" });
  });

  it("run removes the credentials of appvars, unless --pass-credentials", async () => {
    const credentials = {
      APPVARS_API_KEY: "our-key",
      APPVARS_API_SECRET: "our-secret",
      APPVARS_ENC_KEY: "our-enc-key",
    };
    const others = { APPVARS_TIMEOUT: "9", APPVARS_PROFILE_NOTE: "x" };
    const env = { ...(await local()), ...credentials, ...others };
    const seen = await environment(["--only", "PORT"], env);
    expect(seen).toMatchObject({ PORT: "3000", ...others });
    expect(Object.keys(seen).filter((name) => Object.hasOwn(credentials, name))).toEqual([]);
    expect(await environment(["--pass-credentials"], env)).toMatchObject(credentials);
  });

  it("a command under run can call appvars with --pass-credentials", async () => {
    const { url } = await runningServer();
    const env = { APPVARS_URL: url, ...CREDENTIALS };
    const nested = ["--", process.execPath, BINARY, "get", "PORT"];
    expect(await appvars(nested, env)).toMatchObject({ code: 4, stdout: "" });
    expect(await appvars(["--pass-credentials", ...nested], env)).toEqual({
      code: 0,
      stdout: "3000\n",
      stderr: "",
    });
  });

  it("run decrypts client-side encrypted values, and needs the key only for these", async () => {
    const env = await local({ url: encrypt("plain text", "the key") });
    expect(
      await environment(["--only", "DATABASE_URL"], { ...env, APPVARS_ENC_KEY: "the key" }),
    ).toMatchObject({
      DATABASE_URL: "plain text",
    });
    expect(await environment(["--only", "PORT"], env)).toMatchObject({ PORT: "3000" });
    const { code, stdout, stderr } = await appvars(["--", "echo", "started"], env);
    expect([code, stdout]).toEqual([8, ""]);
    expect(stderr).toContain("DATABASE_URL is encrypted");
  });

  it("run refuses a value with a NUL character, without printing the value", async () => {
    const { code, stdout, stderr } = await appvars(
      ["--", "echo", "started"],
      await local({ url: "a secret\0" }),
    );
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe(
      "appvars: the value of DATABASE_URL contains a NUL character, which no environment can hold\n",
    );
  });

  it("run puts no value into the process list", async () => {
    const { stdout } = await appvars(
      ["--only", "DATABASE_URL", "--", "ps", "-e", "-o", "args="],
      await local(),
    );
    expect(stdout).toContain("--only DATABASE_URL");
    expect(stdout).not.toContain("postgres://localhost/dev");
  });
});

describe("-f", () => {
  async function envFile(text: string): Promise<string> {
    const path = join(await temporaryFolder(), "my.env");
    await writeFile(path, text);
    return path;
  }

  it("run -f passes on the file's values rather than the environment's variables, and those rather than its own environment", async () => {
    const first = await envFile("PORT=1\nMINE='two\nlines'\n");
    const second = await envFile("PORT=$DEBUG\n");
    const files = ["-f", first, "-f", second];
    const env = { ...(await local()), PORT: "own", DEBUG: "own", MINE: "own" };
    expect(await environment(files, env)).toMatchObject({
      PORT: "$DEBUG",
      DEBUG: "true",
      MINE: "two\nlines",
    });
    const kept = await environment([...files, "--preserve-env"], env);
    expect(kept).toMatchObject({ PORT: "own", DEBUG: "own", MINE: "own" });
    const some = await environment([...files, "--only", "DEBUG", "--prefix", "X_"], env);
    expect(some).toMatchObject({ PORT: "$DEBUG", X_DEBUG: "true", MINE: "two\nlines" });
  });

  it("run -f leaves reserved names out, with one warning", async () => {
    const env = await local({}, { PORT: "NODE_OPTIONS" });
    const words = ["-f", await envFile("NODE_OPTIONS=--bad\nLD_PRELOAD=/x\n"), "--", "sh", "-c"];
    const left = await appvars([...words, 'echo "[$NODE_OPTIONS$LD_PRELOAD]"'], env);
    expect(left.stdout).toBe("[]\n");
    expect(left.stderr).toMatch(/^appvars: left out NODE_OPTIONS, LD_PRELOAD: [^\n]*\n$/);
    const allowed = await appvars(
      ["--allow-reserved", "NODE_OPTIONS,LD_PRELOAD", ...words, "echo $NODE_OPTIONS"],
      env,
    );
    expect(allowed.stdout).toBe("--bad\n");
  });

  it("run --env-file is the same", async () => {
    const words = ["--env-file", await envFile("PORT=1\n"), "--", "sh", "-c", "echo $PORT"];
    expect((await appvars(words, await local())).stdout).toBe("1\n");
  });

  it("run -f refuses a file without an end", async () => {
    const { code, stderr } = await appvars(
      ["-f", "/dev/zero", "--", "echo", "started"],
      await local(),
    );
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^appvars: --env-file \/dev\/zero is too large: it has 17 MB; the limit is 16 MB$/m,
      ),
    ]);
  });

  const IS_ROOT = process.getuid?.() === 0;

  it.skipIf(!IS_ROOT)("run -f warns root of another user's file", async () => {
    const path = await envFile("MINE=1\n");
    await chown(path, 65_534, 65_534);
    const { code, stderr } = await appvars(["-f", path, "--", "true"], await local());
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`${path} can be changed by other users: it belongs to another user`),
    ]);
  });

  it("run --redact hides the values in the file of -f", async () => {
    const words = [
      "--redact",
      "-f",
      await envFile("MINE=my-own-token\n"),
      "--",
      "sh",
      "-c",
      "echo $MINE",
    ];
    expect((await appvars(words, await local())).stdout).toBe("***\n");
  });

  it("run needs no key for an encrypted value that -f replaces", async () => {
    const env = await local({ url: encrypt("postgres://secret", "the key") });
    const words = [
      "-f",
      await envFile("DATABASE_URL=mine\n"),
      "--",
      "sh",
      "-c",
      "echo $DATABASE_URL",
    ];
    expect((await appvars(words, env)).stdout).toBe("mine\n");
  });

  it.each([
    ["A=1\nmy-secret\n", "--env-file FILE: neither an assignment nor a comment: line 2"],
    ["A B=my-secret\n", "--env-file FILE: neither an assignment nor a comment: line 1"],
    [undefined, "--env-file FILE can't be read (ENOENT)"],
  ])("run -f starts nothing with %j in the file", async (text, message) => {
    const path = text === undefined ? "/no/such/my.env" : await envFile(text);
    expect(await appvars(["-f", path, "--", "echo", "started"], await local())).toEqual({
      code: 2,
      stdout: "",
      stderr: `appvars: ${message.replace("FILE", path)}\n`,
    });
  });

  it("run --watch restarts the program when a value in the file of -f changes", async () => {
    const path = await envFile("MINE=1\n");
    const words = ["--watch=0.1s", "-f", path, "--", "sh", "-c", "echo $MINE; exec sleep 60"];
    const { child, lines } = await startedDetached(words, await local());
    await writeFile(path, "MINE=2\n");
    while (lines.length < 2) await once(child.stdout as Readable, "data");
    expect(lines).toEqual(["1", "2"]);
    child.kill("SIGTERM");
    await once(child, "close");
  });
});

it("run --watch restarts the program when the env_file of its project appears", async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, ".appvars.json"), '{"env_file":"my.env"}', { mode: 0o600 });
  const words = ["--watch=0.1s", "--", "sh", "-c", 'echo "[$MINE]"; exec sleep 60'];
  const { child, lines } = await startedDetached(
    words,
    { ...(await local()), APPVARS_ALLOW_PROJECT: "1" },
    folder,
  );
  await writeFile(join(folder, "my.env"), "MINE=1\n", { mode: 0o600 });
  while (lines.length < 2) await once(child.stdout as Readable, "data");
  expect(lines).toEqual(["[]", "[1]"]);
  child.kill("SIGTERM");
  await once(child, "close");
});

it.each(["", ...("execve" in process ? ["--exec"] : [])])(
  "run %s warns of bytes that are not UTF-8, which Node can't pass on",
  async (flag) => {
    const env = { ...(await local({ url: "a real \uFFFD" })), NODE: process.execPath, BINARY };
    const own = `OWN=$(printf 'my-\\377') DATABASE_URL=$(printf '\\377')`;
    const program = `sh -c 'printf "%s" "$OWN" "$2"' a b "$(printf 'my-\\376')"`;
    const { stdout, stderr } = await run(
      "sh",
      ["-c", `${own} "$NODE" "$BINARY" run ${flag} -- ${program}`],
      env,
    );
    expect(stdout).toBe("my-\uFFFDmy-\uFFFD");
    expect(stderr).toBe(
      "appvars: Node.js can't pass on bytes that are not UTF-8, and has replaced them in an argument, OWN\n",
    );
  },
);

describe("the command line", () => {
  it("run starts nothing when a name of --only does not exist, and suggests another", async () => {
    const { code, stdout, stderr } = await appvars(
      ["--only", "PROT,DEBUG", "--", "echo", "started"],
      await local(),
    );
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toBe('appvars: there is no variable "PROT" (did you mean PORT?)\n');
  });

  it.each([[["--"]], [[]]])(
    "run passes all words after the program's name, with %j before it",
    async (separator) => {
      const args = [...separator, "echo", "--json", "--only", "X", "--", "-q", "--help"];
      const { code, stdout } = await appvars(args, await local());
      expect([code, stdout]).toEqual([0, "--json --only X -- -q --help\n"]);
    },
  );

  it("run uses --json for itself only when it comes before the program", async () => {
    const { code, stdout, stderr } = await appvars(
      ["--json", "no-such-program", "--json"],
      await local(),
    );
    expect([code, stdout]).toEqual([127, ""]);
    expect(JSON.parse(stderr).error.code).toBe("not_found");
    expect((await appvars(["no-such-program", "--json"], await local())).stderr).toMatch(
      /^appvars: /,
    );
  });

  it.each([
    [[]],
    [["--only", "A,,B", "true"]],
    [["--prefix", "A=", "true"]],
    [["--on-change", "restart", "true"]],
    [["--watch", "--on-change", "signal:NOPE", "true"]],
    [["--watch=0", "true"]],
    [["--watch=x", "true"]],
    [["-f", "-", "true"]],
    [["--exec", "--redact", "true"]],
    [["--exec", "--watch", "true"]],
    [["--pristine", "--preserve-env", "true"]],
    [["--pristine", "--pass-credentials", "true"]],
    [["--allow-reserved", "--", "true"]],
    [["--allow-reserved", "echo", "true"]],
    [["--allow-reserved", "NODE_OPTION", "true"]],
  ])("run exits 2 for the words %j", async (args) => {
    expect((await appvars(args, await local())).code).toBe(2);
  });
});

describe("the exit code", () => {
  it.each([0, 1, 42, 255])("run exits %i when the program does", async (code) => {
    expect((await appvars(["--", "sh", "-c", `exit ${code}`], await local())).code).toBe(code);
  });

  it.each([
    ["KILL", 137],
    ["TERM", 143],
  ])("after SIG%s run exits %i", async (signal, code) => {
    expect((await appvars(["--", "sh", "-c", `kill -${signal} $$`], await local())).code).toBe(
      code,
    );
  });

  it("run exits 127 when a program or its interpreter is missing, and says which", async () => {
    const env = await local();
    expect(await appvars(["--", "no-such-program"], env)).toEqual({
      code: 127,
      stdout: "",
      stderr: 'appvars: there is no command "no-such-program" in PATH\n',
    });
    expect((await appvars(["--", "./no/such/file"], env)).stderr).toBe(
      "appvars: there is no file ./no/such/file\n",
    );
    const script = join(await temporaryFolder(), "script");
    await writeFile(script, "#!/no/such/interpreter\n", { mode: 0o700 });
    const { code, stderr } = await appvars(["--", script], env);
    expect([code, stderr]).toEqual([
      127,
      `appvars: ${script} can't be started: its interpreter or loader is missing\n`,
    ]);
  });

  it("run exits 126 when a file can't be executed, and says why", async () => {
    const env = await local();
    const folder = await temporaryFolder();
    const file = join(folder, "file");
    await writeFile(file, "");
    await chmod(file, 0o600);
    const notExecutable = await appvars(["--", file], env);
    expect([notExecutable.code, notExecutable.stderr]).toEqual([
      126,
      `appvars: ${file} is not executable for this user\n`,
    ]);
    const noCommand = await appvars(["--", folder], env);
    expect([noCommand.code, noCommand.stderr]).toEqual([
      126,
      `appvars: ${folder} is a folder, not a command\n`,
    ]);
  });

  it("run exits 126 when the environment is too long for the system, and names the variable", async () => {
    const { code, stderr } = await appvars(
      ["--", "true"],
      await local({ url: "x".repeat(3_000_000) }),
    );
    expect(code).toBe(126);
    expect(stderr).toMatch(
      /^appvars: true can't be started: .* DATABASE_URL (has|with) 3000014 bytes/,
    );
    expect(stderr).not.toContain("xx");
  });
});

const ON_SIGNALS = `
  for (const name of ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGINT", "SIGQUIT"])
    process.on(name, () => { console.log("got " + name); process.exitCode = 7; clearInterval(timer); });
  const timer = setInterval(() => {}, 1000);
  console.log("ready");`;

/**
 * Starts it without a terminal, as a supervisor does, and resolves once the program has said its
 * first line.
 */
async function startedDetached(
  args: readonly string[],
  env: Env,
  cwd?: string,
): Promise<{ child: ChildProcess; lines: string[] }> {
  const child = spawn(process.execPath, [BINARY, "run", ...args], {
    cwd,
    env: { PATH: process.env["PATH"], ...env },
    detached: true,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  const reader = createInterface(child.stdout as Readable).on("line", (line) => lines.push(line));
  await once(reader, "line");
  return { child, lines };
}

describe("signals", () => {
  it.each(["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGINT", "SIGQUIT"] as const)(
    "run forwards %s to the program and exits with its exit code",
    async (name) => {
      const { child, lines } = await startedDetached(
        ["--", process.execPath, "-e", ON_SIGNALS],
        await local(),
      );
      let told = "";
      child.stderr?.on("data", (chunk) => {
        told += chunk;
      });
      child.kill(name);
      expect(await once(child, "close")).toEqual([7, null]);
      expect(lines).toEqual(["ready", `got ${name}`]);
      // Without our own handler, Node opens its debugger on SIGUSR1.
      expect(told).toBe("");
    },
  );

  it("run exits 128+n when a forwarded signal ends the program", async () => {
    const { child } = await startedDetached(
      ["--", "sh", "-c", "echo ready; exec sleep 60"],
      await local(),
    );
    child.kill("SIGHUP");
    expect(await once(child, "close")).toEqual([129, null]);
  });
});

describe("stdin", () => {
  it("run leaves stdin to the program", async () => {
    const env = { ...(await local()), NODE: process.execPath, BINARY };
    const script =
      'seq 100000 | "$NODE" "$BINARY" run -- wc -l; echo x | "$NODE" "$BINARY" run --redact -- cat';
    const { stdout } = await run("sh", ["-c", script], env);
    expect(stdout.trim().split(/\s+/)).toEqual(["100000", "x"]);
  });
});

describe("--redact", () => {
  it("run --redact replaces the values in stdout and stderr", async () => {
    const script =
      'echo "url=$DATABASE_URL!"; echo "port $PORT, flags $FLAGS, debug $DEBUG" >&2; exit 5';
    expect(await appvars(["--redact", "--", "sh", "-c", script], await local())).toEqual({
      code: 5,
      stdout: "url=***!\n",
      stderr: "port ***, flags ***, debug true\n",
    });
  });

  it("run --redact replaces quoted and encoded values", async () => {
    const script = 'export -p | grep "DATABASE_URL="; printf %s "$DATABASE_URL" | base64';
    const { stdout } = await appvars(
      ["--redact", "--", "bash", "-c", script],
      await local({ url: 'a"$b\\c' }),
    );
    expect(stdout).toBe('declare -x DATABASE_URL="***"\n***\n');
  });

  it("run --redact replaces the credentials of appvars, and values that --preserve-env has kept", async () => {
    const secrets = {
      APPVARS_API_SECRET: "our-secret",
      APPVARS_ENC_KEY: "our-key",
      PORT: "kept-port",
      OTHER: "other",
    };
    const script = 'echo "$APPVARS_API_SECRET $APPVARS_ENC_KEY $PORT $OTHER"';
    const args = ["--redact", "--preserve-env", "--pass-credentials", "--", "sh", "-c", script];
    const { stdout } = await appvars(args, { ...(await local()), ...secrets });
    expect(stdout).toBe("*** *** *** other\n");
  });

  it("run --redact names the variables whose values are too short", async () => {
    const { stdout, stderr } = await appvars(
      ["--redact", "--", "sh", "-c", "echo $DATABASE_URL"],
      await local({ url: "abc" }),
    );
    expect(stdout).toBe("abc\n");
    expect(stderr).toBe("appvars: not redacted, the values are too short: DATABASE_URL\n");
  });

  it("run --redact writes the whole output to a slow reader", async () => {
    const script =
      '"$NODE" "$BINARY" run --redact --only DATABASE_URL -- sh -c "seq 300000; echo $(printenv X)" | { read -r first; cat; } | tail -n 1';
    const env = { ...(await local()), NODE: process.execPath, BINARY, X: "the end" };
    expect((await run("sh", ["-c", script], env)).stdout).toBe("the end\n");
  });

  it("run --redact closes the program's output when its own is closed", async () => {
    const script = '"$NODE" "$BINARY" run --redact -- sh -c "yes 2>&-; echo over >&2" | head -n 1';
    const { stdout, stderr } = await run("sh", ["-c", script], {
      ...(await local()),
      NODE: process.execPath,
      BINARY,
    });
    expect([stdout, stderr]).toEqual(["y\n", "over\n"]);
  });

  it("run --redact forwards signals, and then does not wait for processes that the program left running", async () => {
    const script = "trap 'exit 9' TERM; sleep 60 & echo ready; echo $! >&2; wait";
    const { child } = await startedDetached(["--redact", "--", "sh", "-c", script], await local());
    const [pid] = await once(child.stderr as Readable, "data");
    onTestFinished(() => void process.kill(Number(pid), "SIGKILL"));
    child.kill("SIGTERM");
    expect(await once(child, "close")).toEqual([9, null]);
  });
});

describe("--watch", () => {
  const watch = ["--watch=0.1"];
  const COMMAND = ["--", "sh", "-c", 'echo "$PORT $EXTRA"; exec sleep 60'];

  async function watched(flags: readonly string[], command = COMMAND) {
    const file = await dataFile(DATA);
    const env = { APPVARS_DATA: file.path, APPVARS_ENV: "shop/development" };
    const { child, lines } = await startedDetached([...watch, ...flags, ...command], env);
    const told = createInterface(child.stderr as Readable);
    const setPort = (port: number) =>
      file.write(edited((data) => Object.assign(data.values[0].content, { value: port })));
    return { child, lines, told, setPort };
  }

  it("run --watch restarts the program when one of its variables changes, and names it", async () => {
    const { child, lines, told, setPort } = await watched(["--only", "PORT"]);
    await setPort(4000);
    expect(await once(told, "line")).toEqual(["appvars: changed: PORT; restarting the program"]);
    while (lines.length < 2) await once(child.stdout as Readable, "data");
    expect(lines).toEqual(["3000 ", "4000 "]);
    child.kill("SIGTERM");
    expect(await once(child, "close")).toEqual([143, null]);
  });

  it("run --watch waits for the end of the program's descendants before it restarts the program", async () => {
    const server =
      "process.on('SIGTERM', () => setTimeout(() => { console.log('freed'); process.exit(); }, 200))";
    const nested = `${server}; console.log('bound ' + process.env.PORT); setInterval(() => {}, 1000)`;
    const wrapper = `"$NODE" -e "$NESTED"; echo not reached`;
    const command = [
      "--",
      "env",
      `NODE=${process.execPath}`,
      `NESTED=${nested}`,
      "sh",
      "-c",
      wrapper,
    ];
    const { child, lines, setPort } = await watched(["--only", "PORT"], command);
    await setPort(4000);
    while (lines.length < 3) await once(child.stdout as Readable, "data");
    expect(lines).toEqual(["bound 3000", "freed", "bound 4000"]);
    await setPort(5000);
    while (lines.length < 5) await once(child.stdout as Readable, "data");
    expect(lines.slice(3)).toEqual(["freed", "bound 5000"]);
    // The program has a process group of its own: killing the group of the command would leave it.
    child.kill("SIGTERM");
    await once(child, "close");
  });

  it("run --watch warns of reserved variables that are added later", async () => {
    const file = await dataFile(DATA);
    const env = { APPVARS_DATA: file.path, APPVARS_ENV: "shop/development" };
    const { child } = await startedDetached([...watch, ...COMMAND], env);
    const told = once(createInterface(child.stderr as Readable), "line");
    await file.write(edited((data) => Object.assign(data.variables[0], { name: "NODE_OPTIONS" })));
    expect((await told)[0]).toMatch(/^appvars: left out NODE_OPTIONS: /);
    child.kill("SIGTERM");
    await once(child, "close");
  });

  it("run --watch keeps the program running while the server is unreachable and when other variables change", async () => {
    const first = await runningServer();
    const env = { APPVARS_URL: first.url, ...CREDENTIALS };
    const args = [...watch, "--max-wait", "0", "--only", "DEBUG", ...COMMAND];
    const { child, lines } = await startedDetached(args, env);
    const told = createInterface(child.stderr as Readable);
    await first.close();
    const [problem] = await once(told, "line");
    expect(problem).toContain(
      "can't read the variables; the program keeps running with the old ones: ",
    );
    const data = edited((copy) =>
      Object.assign(copy.values[0].content, { value: 4000 }),
    ) as typeof DATA;
    await runningServer({ data, port: first.port });
    expect(await once(told, "line")).toEqual(["appvars: the variables can be read again"]);
    child.kill("SIGTERM");
    await once(child, "close");
    expect(lines).toEqual([" "]);
  });

  it("run --watch --on-change sends a signal instead of a restart", async () => {
    const { child, lines, setPort } = await watched(
      ["--on-change", "signal:USR2"],
      ["--", process.execPath, "-e", ON_SIGNALS],
    );
    await setPort(4000);
    expect(await once(child, "close")).toEqual([7, null]);
    expect(lines).toEqual(["ready", "got SIGUSR2"]);
  });

  it("run --watch exits with the exit code of the program", async () => {
    const { child } = await watched([], ["--", "sh", "-c", "echo ready; exit 3"]);
    if (child.exitCode === null) await once(child, "close");
    expect(child.exitCode).toBe(3);
  });

  it("run --watch starts nothing when it gets SIGTERM during a restart", async () => {
    const slow =
      "trap 'echo ending; sleep 0.3; exit 6' TERM; echo ready; while :; do sleep 0.1; done";
    const { child, lines, setPort } = await watched([], ["--", "sh", "-c", slow]);
    await setPort(4000);
    while (lines.length < 2) await once(child.stdout as Readable, "data");
    child.kill("SIGTERM");
    expect((await once(child, "close"))[0]).toBe(6);
    expect(lines.filter((line) => line === "ready")).toHaveLength(1);
  });
});
