// Preloaded into each `appvars` and `node` of a documentation session, from a copy in the session's folder. It lets the
// documents show a reader's output, while sessions run side by side. See document-session.ts.
const fs = require("node:fs");
const net = require("node:net");
const { join } = require("node:path");

// The session's output goes to a file. A reader has a terminal there, unless the output is redirected or piped.
const { dev, ino } = fs.fstatSync(1);
const isTerminal = fs
  .readdirSync(join(__dirname, "terminal"), { withFileTypes: true })
  .some(({ name }) => {
    const file = fs.statSync(join(__dirname, "terminal", name));
    return file.dev === dev && file.ino === ino;
  });
if (isTerminal)
  Object.assign(process.stdout, { isTTY: true, columns: 120, getColorDepth: () => 1 });

// The documents use these ports: of servers, and of etcd. Each session has free ones in their place.
const PORTS = [7400, 7401, 2379];
const portFile = (port) => join(__dirname, `port-${port}`);
const { listen, address } = net.Server.prototype;
const { connect } = net.Socket.prototype;

net.Server.prototype.listen = function (options, ...others) {
  const port = options?.port;
  if (!PORTS.includes(port)) return listen.call(this, options, ...others);
  this.address = () => ({ ...address.call(this), port });
  this.prependOnceListener("listening", () =>
    fs.writeFileSync(portFile(port), String(address.call(this).port)),
  );
  this.once("close", () => fs.rmSync(portFile(port), { force: true }));
  return listen.call(this, { ...options, port: 0 }, ...others);
};

net.Socket.prototype.connect = function (...args) {
  const options = Array.isArray(args[0]) ? args[0][0] : args[0];
  const file = portFile(Number(options?.port));
  // Nothing listens on port 1: a session never reaches a server of another program.
  if (PORTS.includes(Number(options?.port)))
    options.port = fs.existsSync(file) ? Number(fs.readFileSync(file, "utf8")) : 1;
  return connect.apply(this, args);
};
