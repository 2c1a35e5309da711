import { once } from "node:events";
import net, { type AddressInfo, connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { keepAsking } from "../support/asking-clients.js";
import { DATA } from "../support/data.js";
import { dataFile } from "../support/data-file.js";
import { DEV_HEADERS, get } from "../support/http.js";
import { type ServeProcessOptions, serveProcess, startServe } from "../support/serve-process.js";

interface Handle {
  readonly fd: number;
  getsockname(name: Partial<AddressInfo>): number;
  close(): void;
}

/** A bound socket, which this process does not listen on: it is there while servers come and go. */
function heldSocket(): { fd: number; port: number } {
  const handle: Handle = (
    net as unknown as { _createServerHandle: (...args: unknown[]) => Handle }
  )._createServerHandle("127.0.0.1", 0, 4, -1, 0);
  onTestFinished(() => handle.close());
  const name: Partial<AddressInfo> = {};
  handle.getsockname(name);
  return { fd: handle.fd, port: name.port ?? 0 };
}

/** As systemd starts a service. */
function activated(fd: number | undefined, count = "1"): ServeProcessOptions {
  return {
    through: ["sh", "-c", `LISTEN_PID=$$ LISTEN_FDS=${count} LISTEN_FDNAMES=http exec "$@"`, "sh"],
    descriptors: fd === undefined ? [] : [fd],
  };
}

describe.skipIf(process.platform !== "linux")(
  "a server that a service manager opens the socket for",
  () => {
    it("listens on that socket, and says so", async () => {
      const { path } = await dataFile(DATA);
      const { fd, port } = heldSocket();
      const server = await serveProcess(["--data", path], activated(fd));
      expect(server.port).toBe(port);
      expect(await get(server, "/v1/variables/1")).toMatchObject({
        status: 200,
        json: { name: "DATABASE_URL" },
      });
      expect(server.log()).toContain(
        "listening on the socket of the service manager, not on --host and --port\n",
      );
      expect(await server.stop()).toBe(0);
    });

    it("loses no request when it is restarted under load", async () => {
      const { path } = await dataFile(DATA);
      const { fd, port } = heldSocket();
      const args = ["--data", path, "--rate-limit", "0"];
      let server = await serveProcess(args, activated(fd));
      let [answered, isOver] = [0, false];
      const count = (outcome: string) => {
        if (outcome === "answered") answered++;
        return isOver;
      };
      const options = { port, path: "/v1/variables/1", headers: DEV_HEADERS };
      // Half of the clients open a connection for each request.
      const clients = Array.from({ length: 16 }, (_, index) =>
        keepAsking({ ...options, keepAlive: index % 2 === 0 }, count),
      );
      for (let restart = 0; restart < 3; restart++) {
        const before = answered;
        await expect.poll(() => answered, { timeout: 20_000 }).toBeGreaterThan(before + 200);
        expect(await server.stop()).toBe(0);
        server = await serveProcess(args, activated(fd));
      }
      isOver = true;
      expect(new Set((await Promise.all(clients)).flat())).toEqual(new Set(["answered"]));
    });

    it("ignores variables that are meant for another process", async () => {
      const { path } = await dataFile(DATA);
      const server = await serveProcess(["--data", path], {
        env: { LISTEN_PID: "1", LISTEN_FDS: "1" },
      });
      expect(await get(server, "/v1/variables/1")).toMatchObject({ status: 200 });
      expect(server.log()).not.toContain("service manager");
    });

    it("refuses several sockets", async () => {
      const { path } = await dataFile(DATA);
      const server = startServe(["--data", path], activated(heldSocket().fd, "2"));
      expect(await server.ended).toBe(2);
      expect(server.log()).toBe('appvars: LISTEN_FDS is "2", but serve listens on one socket\n');
    });

    it.each([
      ["none", () => undefined],
      ["a file", () => 0],
      ["a connection", connectedDescriptor],
    ])("refuses a descriptor that it can't listen on: %s", async (_what, open) => {
      const { path } = await dataFile(DATA);
      const server = startServe(["--data", path], activated(await open()));
      expect(await server.ended).toBe(2);
      expect(server.log()).toContain(
        "appvars: LISTEN_FDS is 1, but descriptor 3 is not a socket to listen on\n",
      );
    });
  },
);

async function connectedDescriptor(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  await once(socket, "connect");
  return (socket as unknown as { _handle: Handle })._handle.fd;
}
