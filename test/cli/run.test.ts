import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { encrypt } from "../../src/encryption/envelope.js";
import { BINARY, type Finished, run } from "../support/binary.js";
import { DATA, DEVELOPMENT, edited } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { runningServer } from "../support/running-server.js";
import { temporaryFolder } from "../support/temporary-folder.js";

type Env = Record<string, string>;

/** The variables of shop/development in a file, with these values in the place of two texts. */
async function local(values: { url?: unknown; flags?: unknown } = {}, names: Env = {}): Promise<Env> {
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

/** What the program sees in its environment, after these flags. */
async function environment(flags: readonly string[], env: Env): Promise<Env> {
  const print = "console.log(JSON.stringify(Object.entries(process.env)))";
  const { stdout } = await appvars([...flags, "--", process.execPath, "-e", print], env);
  return Object.fromEntries(JSON.parse(stdout));
}

describe("the program's environment", () => {
  it("has all values: texts as they are, the rest as JSON", async () => {
    expect(await environment([], { ...(await local()), INHERITED: "yes" })).toMatchObject({
      DATABASE_URL: "postgres://localhost/dev",
      PORT: "3000",
      DEBUG: "true",
      FLAGS: '{"beta":["x",null,1.5]}',
      EMPTY: "",
      INHERITED: "yes",
    });
  });

  it("has a variable called __proto__ like any other", async () => {
    const seen = await environment(["--only", "__proto__"], await local());
    expect(Object.entries(seen)).toContainEqual(["__proto__", "not a prototype"]);
  });

  it("comes from a server, too", async () => {
    const { url } = await runningServer();
    const env = { APPVARS_URL: url, APPVARS_API_KEY: DEVELOPMENT.apiKey, APPVARS_API_SECRET: DEVELOPMENT.apiSecret };
    expect(await environment(["--only", "PORT"], env)).toMatchObject({ PORT: "3000", APPVARS_URL: url });
  });

  it("has only what --only names", async () => {
    const seen = await environment(["--only", "PORT,DEBUG", "--pristine"], { ...(await local()), INHERITED: "yes" });
    expect(Object.keys(seen).sort()).toEqual(["DEBUG", "PATH", "PORT"]);
  });

  it("has the names with --prefix before them", async () => {
    const seen = await environment(["--prefix", "MY_", "--only", "PORT"], await local());
    expect(seen).toMatchObject({ MY_PORT: "3000" });
    expect(seen).not.toHaveProperty("PORT");
  });

  it("takes our value before what is set already, unless --preserve-env, where even an empty one wins", async () => {
    const env = { ...(await local()), PORT: "", DEBUG: "mine" };
    expect(await environment([], env)).toMatchObject({ PORT: "3000", DEBUG: "true" });
    expect(await environment(["--preserve-env"], env)).toMatchObject({ PORT: "", DEBUG: "mine", EMPTY: "" });
  });

  it("lacks what programs are taken over by, with a warning, unless --allow-reserved", async () => {
    const env = await local({}, { DATABASE_URL: "LD_LIBRARY_PATH", PORT: "SAFE" });
    const { stdout, stderr } = await appvars(["--", "sh", "-c", 'echo "<$LD_LIBRARY_PATH> <$SAFE>"'], env);
    expect(stdout).toBe("<> <3000>\n");
    expect(stderr).toContain("left out: LD_LIBRARY_PATH;");
    const allowed = await appvars(["--allow-reserved", "--", "sh", "-c", 'echo "<$LD_LIBRARY_PATH>"'], env);
    expect(allowed).toEqual({ code: 0, stdout: "<postgres://localhost/dev>\n", stderr: "" });
  });

  it("is checked for reserved names with their prefix", async () => {
    const { stderr } = await appvars(["--prefix", "LD_", "--only", "DEBUG", "--", "true"], await local());
    expect(stderr).toContain("left out: LD_DEBUG;");
  });

  it("has what a client has encrypted as plain text, and needs the key for nothing else", async () => {
    const env = await local({ url: encrypt("plain text", "the key") });
    expect(await environment(["--only", "DATABASE_URL"], { ...env, APPVARS_ENC_KEY: "the key" })).toMatchObject({
      DATABASE_URL: "plain text",
    });
    expect(await environment(["--only", "PORT"], env)).toMatchObject({ PORT: "3000" });
    const { code, stdout, stderr } = await appvars(["--", "echo", "started"], env);
    expect([code, stdout]).toEqual([8, ""]);
    expect(stderr).toContain("DATABASE_URL is encrypted");
  });

  it("can't hold a NUL: the variable is named, not its value, and nothing is started", async () => {
    const { code, stdout, stderr } = await appvars(["--", "echo", "started"], await local({ url: "a secret\0" }));
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe("appvars: the value of DATABASE_URL holds a NUL, which no environment can\n");
  });

  it("has no value in the process list", async () => {
    const { stdout } = await appvars(["--only", "DATABASE_URL", "--", "ps", "-e", "-o", "args="], await local());
    expect(stdout).toContain("--only DATABASE_URL");
    expect(stdout).not.toContain("postgres://localhost/dev");
  });
});

describe("the command line", () => {
  it("starts nothing when a name of --only is missing, and suggests another", async () => {
    const { code, stdout, stderr } = await appvars(["--only", "PROT,DEBUG", "--", "echo", "started"], await local());
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toBe('appvars: there is no variable "PROT" (did you mean PORT?)\n');
  });

  it.each([[["--"]], [[]]])("gives the program all that follows its name, with %j before it", async (separator) => {
    const args = [...separator, "echo", "--json", "--only", "X", "--", "-q", "--help"];
    const { code, stdout } = await appvars(args, await local());
    expect([code, stdout]).toEqual([0, "--json --only X -- -q --help\n"]);
  });

  it("takes --json before the program for itself only", async () => {
    const { code, stdout, stderr } = await appvars(["--json", "no-such-program", "--json"], await local());
    expect([code, stdout]).toEqual([127, ""]);
    expect(JSON.parse(stderr).error.code).toBe("not_found");
    expect((await appvars(["no-such-program", "--json"], await local())).stderr).toMatch(/^appvars: /);
  });

  it.each([
    [[]],
    [["--only", "A,,B", "true"]],
    [["--prefix", "A=", "true"]],
    [["--interval", "3", "true"]],
    [["--on-change", "restart", "true"]],
    [["--watch", "--on-change", "signal:NOPE", "true"]],
    [["--watch", "--interval", "0", "true"]],
    [["--pristine", "--preserve-env", "true"]],
  ])("refuses %j as a usage error", async (args) => {
    expect((await appvars(args, await local())).code).toBe(2);
  });
});

describe("the exit code", () => {
  it.each([0, 1, 42, 255])("is the program's %i", async (code) => {
    expect((await appvars(["--", "sh", "-c", `exit ${code}`], await local())).code).toBe(code);
  });

  it.each([
    ["KILL", 137],
    ["TERM", 143],
  ])("after SIG%s is %i", async (signal, code) => {
    expect((await appvars(["--", "sh", "-c", `kill -${signal} $$`], await local())).code).toBe(code);
  });

  it("is 127 for what is not found, also for an interpreter, and says which", async () => {
    const env = await local();
    expect(await appvars(["--", "no-such-program"], env)).toEqual({
      code: 127,
      stdout: "",
      stderr: 'appvars: there is no command "no-such-program" in PATH\n',
    });
    expect((await appvars(["--", "./no/such/file"], env)).stderr).toBe("appvars: there is no file ./no/such/file\n");
    const script = join(await temporaryFolder(), "script");
    await writeFile(script, "#!/no/such/interpreter\n", { mode: 0o700 });
    const { code, stderr } = await appvars(["--", script], env);
    expect([code, stderr]).toEqual([
      127,
      `appvars: ${script} can't be started: its interpreter or loader is not there\n`,
    ]);
  });

  it("is 126 for what can't be executed, and says why", async () => {
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
    expect([noCommand.code, noCommand.stderr]).toEqual([126, `appvars: ${folder} is a folder, no command\n`]);
  });

  it("is 126 when the variables are too long for the system", async () => {
    const { code, stderr } = await appvars(["--", "true"], await local({ url: "x".repeat(3_000_000) }));
    expect(code).toBe(126);
    expect(stderr).toMatch(/^appvars: true can't be started: its arguments and variables are too long.*\n$/);
  });
});

const ON_SIGNALS = `
  for (const name of ["SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGINT", "SIGQUIT"])
    process.on(name, () => { console.log("got " + name); process.exitCode = 7; clearInterval(timer); });
  const timer = setInterval(() => {}, 1000);
  console.log("ready");`;

/** Starts it without a terminal, as a supervisor does, and resolves once the program has said its first line. */
async function startedDetached(args: readonly string[], env: Env): Promise<{ child: ChildProcess; lines: string[] }> {
  const child = spawn(process.execPath, [BINARY, "run", ...args], {
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
    "pass %s on to the program, whose exit code is ours",
    async (name) => {
      const { child, lines } = await startedDetached(["--", process.execPath, "-e", ON_SIGNALS], await local());
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

  it("end us with 128+n when they end the program", async () => {
    const { child } = await startedDetached(["--", "sh", "-c", "echo ready; exec sleep 60"], await local());
    child.kill("SIGHUP");
    expect(await once(child, "close")).toEqual([129, null]);
  });
});

describe("stdin", () => {
  it("is the program's", async () => {
    const env = { ...(await local()), NODE: process.execPath, BINARY };
    const script = 'seq 100000 | "$NODE" "$BINARY" run -- wc -l; echo x | "$NODE" "$BINARY" run --redact -- cat';
    const { stdout } = await run("sh", ["-c", script], env);
    expect(stdout.trim().split(/\s+/)).toEqual(["100000", "x"]);
  });
});

describe("--redact", () => {
  it("strikes the values out of stdout and stderr", async () => {
    const script = 'echo "url=$DATABASE_URL!"; echo "port $PORT, flags $FLAGS, debug $DEBUG" >&2; exit 5';
    expect(await appvars(["--redact", "--", "sh", "-c", script], await local())).toEqual({
      code: 5,
      stdout: "url=***!\n",
      stderr: "port ***, flags ***, debug true\n",
    });
  });

  it("strikes out what programs make of values", async () => {
    const script = 'export -p | grep "DATABASE_URL="; printf %s "$DATABASE_URL" | base64';
    const { stdout } = await appvars(["--redact", "--", "bash", "-c", script], await local({ url: 'a"$b\\c' }));
    expect(stdout).toBe('declare -x DATABASE_URL="***"\n***\n');
  });

  it("strikes out our own secrets, and what --preserve-env has kept", async () => {
    const secrets = { APPVARS_API_SECRET: "our-secret", APPVARS_ENC_KEY: "our-key", PORT: "kept-port", OTHER: "other" };
    const script = 'echo "$APPVARS_API_SECRET $APPVARS_ENC_KEY $PORT $OTHER"';
    const args = ["--redact", "--preserve-env", "--", "sh", "-c", script];
    const { stdout } = await appvars(args, { ...(await local()), ...secrets });
    expect(stdout).toBe("*** *** *** other\n");
  });

  it("names the variables that are too short for it", async () => {
    const { stdout, stderr } = await appvars(
      ["--redact", "--", "sh", "-c", "echo $DATABASE_URL"],
      await local({ url: "abc" }),
    );
    expect(stdout).toBe("abc\n");
    expect(stderr).toBe("appvars: not redacted, the values are too short: DATABASE_URL\n");
  });

  it("writes all there is, however slowly it is read", async () => {
    const script =
      '"$NODE" "$BINARY" run --redact --only DATABASE_URL -- sh -c "seq 300000; echo $(printenv X)" | { read -r first; cat; } | tail -n 1';
    const env = { ...(await local()), NODE: process.execPath, BINARY, X: "the end" };
    expect((await run("sh", ["-c", script], env)).stdout).toBe("the end\n");
  });

  it("closes the program's output when ours is closed", async () => {
    const script = '"$NODE" "$BINARY" run --redact -- sh -c "yes 2>&-; echo over >&2" | head -n 1';
    const { stdout, stderr } = await run("sh", ["-c", script], { ...(await local()), NODE: process.execPath, BINARY });
    expect([stdout, stderr]).toEqual(["y\n", "over\n"]);
  });

  it("still passes signals on, and does not wait then for what the program has left running", async () => {
    const script = "trap 'exit 9' TERM; sleep 60 & echo ready; echo $! >&2; wait";
    const { child } = await startedDetached(["--redact", "--", "sh", "-c", script], await local());
    const [pid] = await once(child.stderr as Readable, "data");
    onTestFinished(() => void process.kill(Number(pid), "SIGKILL"));
    child.kill("SIGTERM");
    expect(await once(child, "close")).toEqual([9, null]);
  });
});

describe("--watch", () => {
  const watch = ["--watch", "--interval", "0.1"];
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

  it("restarts the program when a variable that it has changes, and names it", async () => {
    const { child, lines, told, setPort } = await watched(["--only", "PORT"]);
    await setPort(4000);
    expect(await once(told, "line")).toEqual(["appvars: changed: PORT; restarting the program"]);
    while (lines.length < 2) await once(child.stdout as Readable, "data");
    expect(lines).toEqual(["3000 ", "4000 "]);
    child.kill("SIGTERM");
    expect(await once(child, "close")).toEqual([143, null]);
  });

  /** Ends it and all that it has started: a signal to itself goes no further than to its child. */
  const endGroup = ({ pid }: ChildProcess) => void process.kill(-(pid as number), "SIGKILL");

  it("ends also what the program has started, and waits for it, before it starts it anew", async () => {
    const server = "process.on('SIGTERM', () => setTimeout(() => { console.log('freed'); process.exit(); }, 200))";
    const nested = `${server}; console.log('bound ' + process.env.PORT); setInterval(() => {}, 1000)`;
    const wrapper = `"$NODE" -e "$NESTED"; echo not reached`;
    const command = ["--", "env", `NODE=${process.execPath}`, `NESTED=${nested}`, "sh", "-c", wrapper];
    const { child, lines, setPort } = await watched(["--only", "PORT"], command);
    onTestFinished(() => endGroup(child));
    await setPort(4000);
    while (lines.length < 3) await once(child.stdout as Readable, "data");
    expect(lines).toEqual(["bound 3000", "freed", "bound 4000"]);
    await setPort(5000);
    while (lines.length < 5) await once(child.stdout as Readable, "data");
    expect(lines.slice(3)).toEqual(["freed", "bound 5000"]);
  });

  it("names the reserved variables that come later", async () => {
    const file = await dataFile(DATA);
    const env = { APPVARS_DATA: file.path, APPVARS_ENV: "shop/development" };
    const { child } = await startedDetached([...watch, ...COMMAND], env);
    const told = once(createInterface(child.stderr as Readable), "line");
    await file.write(edited((data) => Object.assign(data.variables[0], { name: "NODE_OPTIONS" })));
    expect((await told)[0]).toMatch(/^appvars: left out: NODE_OPTIONS; /);
    child.kill("SIGTERM");
    await once(child, "close");
  });

  it("leaves it alone while the server is down, and when other variables change, and tells each once", async () => {
    const first = await runningServer();
    const env = { APPVARS_URL: first.url, APPVARS_API_KEY: "dev-key", APPVARS_API_SECRET: "dev-secret" };
    const args = [...watch, "--max-wait", "0", "--only", "DEBUG", ...COMMAND];
    const { child, lines } = await startedDetached(args, env);
    const told = createInterface(child.stderr as Readable);
    await first.close();
    const [problem] = await once(told, "line");
    expect(problem).toContain("the variables can't be read now, the program goes on with those it has: ");
    const data = edited((copy) => Object.assign(copy.values[0].content, { value: 4000 })) as typeof DATA;
    await runningServer({ data, port: first.port });
    expect(await once(told, "line")).toEqual(["appvars: the variables can be read again"]);
    child.kill("SIGTERM");
    await once(child, "close");
    expect(lines).toEqual([" "]);
  });

  it("sends a signal instead with --on-change", async () => {
    const { child, lines, setPort } = await watched(
      ["--on-change", "signal:USR2"],
      ["--", process.execPath, "-e", ON_SIGNALS],
    );
    await setPort(4000);
    expect(await once(child, "close")).toEqual([7, null]);
    expect(lines).toEqual(["ready", "got SIGUSR2"]);
  });

  it("ends with the program's own exit code", async () => {
    const { child } = await watched([], ["--", "sh", "-c", "echo ready; exit 3"]);
    if (child.exitCode === null) await once(child, "close");
    expect(child.exitCode).toBe(3);
  });

  it("starts nothing anew when it is asked to stop during a restart", async () => {
    const slow = "trap 'echo ending; sleep 0.3; exit 6' TERM; echo ready; while :; do sleep 0.1; done";
    const { child, lines, setPort } = await watched([], ["--", "sh", "-c", slow]);
    await setPort(4000);
    while (lines.length < 2) await once(child.stdout as Readable, "data");
    child.kill("SIGTERM");
    expect((await once(child, "close"))[0]).toBe(6);
    expect(lines.filter((line) => line === "ready")).toHaveLength(1);
  });
});
