import { createPrivateKey } from "node:crypto";
import { chmod, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CliOptions, runCli } from "../../../support/cli.js";
import { DATA } from "../../../support/data.js";
import { dataFile } from "../../../support/data-file.js";
import { nextAnswer } from "../../../support/http.js";
import { temporaryFolder } from "../../../support/temporary-folder.js";
import {
  CLIENT,
  CLIENT_CA,
  openTlsSocket,
  RENEWED,
  serialOf,
  TLS,
  tlsPath,
} from "../../../support/tls.js";

const HEALTH = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n";
const PATIENCE = { timeout: 10_000 };

interface Pair {
  cert: string;
  key: string;
}

/** A folder with a certificate and its key. */
async function pairFolder({ cert, key }: Pair = TLS, folder?: string) {
  const location = folder ?? (await temporaryFolder());
  const write = async (name: string, text: string) => {
    await writeFile(join(location, `${name}.new`), text, { mode: 0o600 });
    await rename(join(location, `${name}.new`), join(location, name));
  };
  await write("tls.crt", cert);
  await write("tls.key", key);
  const flags = ["--tls-cert", join(location, "tls.crt"), "--tls-key", join(location, "tls.key")];
  return { folder: location, write, flags };
}

interface Running {
  url: string;
  port: number;
  /** The serial number of the certificate on a new connection. */
  serial: () => Promise<string>;
  log: () => string;
  reload: () => void;
}

/** Runs `serve` on a free port; once it has printed its address, calls `use`, and then stops it. */
async function serving(argv: string[], use: (server: Running) => Promise<void> = async () => {}) {
  let [stop, reload, log] = [() => {}, () => {}, ""];
  const untilStopped: CliOptions["untilStopped"] = (phase) => {
    reload = () => phase.reload();
    return new Promise((resolve) => {
      stop = resolve;
    });
  };
  let used: Promise<void> | undefined;
  const onStdout = (text: string) => {
    const url = /https?:[^\s"]+/.exec(text)?.[0] ?? "";
    const port = Number(new URL(url).port);
    const serial = async () => {
      const socket = await openTlsSocket({ port });
      const found = serialOf(socket);
      socket.destroy();
      return found;
    };
    used ??= use({ url, port, serial, log: () => log, reload: () => reload() }).finally(() =>
      stop(),
    );
  };
  const onStderr = (text: string) => {
    log += text;
  };
  const data = (await dataFile(DATA)).path;
  const result = await runCli(["serve", "--port", "0", "--data", data, ...argv], {
    untilStopped,
    onStdout,
    onStderr,
  });
  await used;
  return result;
}

describe("serve --tls-cert", () => {
  it("prints an https URL, and does not warn about other machines", async () => {
    const { flags } = await pairFolder();
    const printed = "export APPVARS_URL='?https://0\\.0\\.0\\.0:\\d+'?\n";
    const { code, stdout, stderr } = await serving(["--host", "0.0.0.0", ...flags]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(printed)]);
    expect(stderr).not.toContain("without TLS");
    const { stdout: json } = await serving(["--json", ...flags], async ({ url, port }) => {
      const env = { APPVARS_URL: url, APPVARS_CA_FILE: tlsPath("certificate.pem") };
      expect(await runCli(["health", "--quiet"], { env })).toMatchObject({ code: 0 });
      expect(port).toBeGreaterThan(0);
    });
    expect(JSON.parse(json)).toEqual({
      url: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+$/),
    });
  });

  it.each([
    ["the certificate first", ["cert", "key"]],
    ["the key first", ["key", "cert"]],
  ])("uses a renewed certificate on new connections: %s", async (_what, order) => {
    const { flags, write } = await pairFolder();
    await serving(flags, async ({ port, serial, log }) => {
      const old = await openTlsSocket({ port });
      for (const part of order)
        await write(part === "cert" ? "tls.crt" : "tls.key", RENEWED[part as keyof Pair]);
      await expect.poll(serial, PATIENCE).toBe("02");
      await expect.poll(log).toMatch(/reloaded the TLS files: new connections use them\n$/);
      expect(log()).not.toContain("--tls");
      const answer = nextAnswer(old);
      old.write(HEALTH);
      expect(await answer).toMatchObject({ status: 200 });
      old.destroy();
    });
  });

  it("uses a certificate that is renewed by another link to its folder", async () => {
    const base = await temporaryFolder();
    for (const [name, pair] of Object.entries({ old: TLS, new: RENEWED })) {
      await mkdir(join(base, name));
      await pairFolder(pair, join(base, name));
    }
    await symlink("old", join(base, "..data"));
    for (const name of ["tls.crt", "tls.key"]) await symlink(`..data/${name}`, join(base, name));
    const flags = ["--tls-cert", join(base, "tls.crt"), "--tls-key", join(base, "tls.key")];
    await serving(flags, async ({ serial }) => {
      expect(await serial()).toBe("01");
      await symlink("new", join(base, "..data_tmp"));
      await rename(join(base, "..data_tmp"), join(base, "..data"));
      await expect.poll(serial, PATIENCE).toBe("02");
    });
  });

  it("keeps the old certificate when files don't match or are missing, logs that once, and tries again", async () => {
    const { flags, write, folder } = await pairFolder();
    await serving(flags, async ({ serial, log }) => {
      const times = (text: string) => log().split(text).length - 1;
      await write("tls.crt", RENEWED.cert);
      await expect.poll(() => times("does not belong to the certificate in"), PATIENCE).toBe(1);
      expect(await serial()).toBe("01");
      await rm(join(folder, "tls.key"));
      await expect.poll(() => times("can't be read: no such file"), PATIENCE).toBe(1);
      expect(await serial()).toBe("01");
      await write("tls.key", RENEWED.key);
      await expect.poll(serial, PATIENCE).toBe("02");
      expect([
        times("does not belong to"),
        times("can't be read"),
        times("reloaded the TLS files"),
      ]).toEqual([1, 1, 1]);
      expect(log()).not.toContain("PRIVATE");
    });
  });

  it("reads the files again on SIGHUP", async () => {
    const { flags } = await pairFolder();
    await serving(flags, async ({ serial, log, reload }) => {
      reload();
      await expect.poll(log, PATIENCE).toContain("new connections use them");
      expect(await serial()).toBe("01");
    });
  });

  it("warns about a key that others can read", async () => {
    const { flags, folder } = await pairFolder();
    await chmod(join(folder, "tls.key"), 0o644);
    const { code, stderr } = await serving(flags);
    expect(code).toBe(0);
    expect(stderr).toContain(`${folder}/tls.key holds secrets and others may read it (mode 0644)`);
  });

  it.skipIf(process.platform === "win32").each(["tls.key", "tls.crt"])(
    "refuses a %s that others can change, as the data file",
    async (name) => {
      const { flags, folder } = await pairFolder();
      await chmod(join(folder, name), 0o666);
      const { code, stdout, stderr } = await serving(flags);
      expect([code, stdout]).toEqual([8, ""]);
      expect(stderr).toContain(`${name} can be changed by other users`);
    },
  );
});

describe("serve refuses with exit code 2", () => {
  const encrypted = createPrivateKey(TLS.key)
    .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "hunter2" })
    .toString();

  it.each([
    [
      "a certificate without a key",
      ["--tls-cert", tlsPath("certificate.pem")],
      "HTTPS needs both --tls-cert and --tls-key",
    ],
    [
      "a key without a certificate",
      ["--tls-key", tlsPath("key.pem")],
      "HTTPS needs both --tls-cert and --tls-key",
    ],
    [
      "an authority alone",
      ["--tls-client-ca", tlsPath("authority.pem")],
      "HTTPS needs both --tls-cert and --tls-key",
    ],
  ])("serve refuses %s with exit code 2", async (_what, flags, message) => {
    const { code, stdout, stderr } = await serving(flags);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });

  it.each([
    [
      "an encrypted key",
      { ...TLS, key: encrypted },
      /tls\.key is encrypted, and there is no passphrase/,
    ],
    [
      "a key of another certificate",
      { ...TLS, key: RENEWED.key },
      /tls\.key does not belong to the certificate in --tls-cert/,
    ],
    [
      "a file without a key",
      { ...TLS, key: TLS.cert },
      /--tls-key \S+tls\.key contains no PEM private key/,
    ],
    [
      "a broken certificate",
      { ...TLS, cert: TLS.cert.replace("MII", "AII") },
      /--tls-cert \S+ .*certificate/,
    ],
  ])("serve refuses %s with exit code 2", async (_what, pair, message) => {
    const { code, stdout, stderr } = await serving((await pairFolder(pair)).flags);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
  });

  it("serve refuses a missing certificate with exit code 2", async () => {
    const { code, stderr } = await serving([
      "--tls-cert",
      "/nowhere/crt",
      "--tls-key",
      tlsPath("key.pem"),
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain(
      "appvars: --tls-cert /nowhere/crt can't be read: no such file or folder\n",
    );
  });
});

describe("serve --tls-client-ca", () => {
  it("serves clients with its certificate, and tells others that it is missing", async () => {
    const { flags, folder, write } = await pairFolder();
    await write("ca.crt", CLIENT_CA);
    await write("client.pem", CLIENT.cert + CLIENT.key);
    await serving([...flags, "--tls-client-ca", join(folder, "ca.crt")], async ({ url }) => {
      const env = {
        APPVARS_URL: url,
        APPVARS_CA_FILE: tlsPath("certificate.pem"),
        APPVARS_MAX_WAIT: "0",
      };
      const client = join(folder, "client.pem");
      const flag = ["--client-cert", client, "--client-key", client];
      expect(await runCli(["health", ...flag], { env })).toMatchObject({ code: 0 });
      const variables = { APPVARS_CLIENT_CERT: client, APPVARS_CLIENT_KEY: client };
      expect(await runCli(["health"], { env: { ...env, ...variables } })).toMatchObject({
        code: 0,
      });
      const { code, stderr } = await runCli(["health"], { env });
      expect([code, stderr]).toEqual([
        5,
        expect.stringContaining("it requires a client certificate"),
      ]);
      const { stdout } = await runCli(["doctor", "--json"], { env });
      expect(stdout).toContain("--client-cert and --client-key");
    });
  });
});
