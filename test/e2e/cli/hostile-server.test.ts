import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createContext } from "../../../src/cli/output/context.js";
import type { Budget } from "../../../src/client/retry.js";
import type { PreparedVariables } from "../../../src/tasks/run/prepare-variables.js";
import { runProgram } from "../../../src/tasks/run/run-program.js";
import { tcpPeer } from "../../client/peer.js";
import { BINARY, run } from "../../support/binary.js";
import { runWith } from "../../support/cli.js";
import { CREDENTIALS } from "../../support/data.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

describe("a server that does not answer with HTTP", () => {
  it("a protocol switch does not keep the process running", async () => {
    const { url } = await tcpPeer((socket) =>
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"),
    );
    const env = { APPVARS_URL: url.origin, ...CREDENTIALS };
    expect(await run(process.execPath, [BINARY, "get", "PORT"], env)).toMatchObject({
      code: 7,
      stdout: "",
    });
  });
});

describe("a command that never settles", () => {
  it.each([["get", "PORT"], ["list"], ["run", "--", "true"]])(
    "exits 1 with a message: %s",
    async (...argv) => {
      const hang = join(await temporaryFolder(), "hang.cjs");
      await writeFile(hang, 'require("node:fs").open = () => {};');
      const args = [
        "--require",
        hang,
        BINARY,
        argv[0] ?? "",
        "--api-secret-file",
        hang,
        ...argv.slice(1),
      ];
      expect(await run(process.execPath, args)).toEqual({
        code: 1,
        stdout: "",
        stderr: "appvars: ended before the command was finished; please report this\n",
      });
    },
  );
});

describe.skipIf(process.platform === "win32")("run --watch", () => {
  it("has a new budget for each check, and may run for longer than one command may read", async () => {
    const done = join(await temporaryFolder(), "done");
    const ends: (number | undefined)[] = [];
    let budget: Budget | undefined;
    const prepared = {
      open: async (options: { budget?: Budget }) => {
        budget = options.budget;
        return { close: async () => {} };
      },
      read: async () => {
        ends.push(budget?.deadline);
        Object.assign(budget ?? {}, { deadline: 1 });
        if (ends.length === 3) await writeFile(done, "");
        const env = { PATH: process.env["PATH"] ?? "" };
        return { env, variables: [], leftOut: [], taken: [] };
      },
    } as unknown as PreparedVariables;
    const command = ["sh", "-c", `until [ -e ${done} ]; do sleep 0.05; done`] as const;
    const watch = { interval: 0.1, onChange: "restart" as const };
    const { code } = await runWith((io) => {
      const context = createContext(io, { color: false });
      return runProgram({ command, prepared, watch }, context);
    });
    expect(code).toBe(0);
    expect(ends.length).toBeGreaterThanOrEqual(3);
    expect(new Set(ends)).toEqual(new Set([undefined]));
  });
});
