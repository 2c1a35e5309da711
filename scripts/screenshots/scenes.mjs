import { createServer } from "node:net";
import { emptyData, oddData, shopData } from "./shop-data.mjs";

const FILE = "vars.json";
const LOCAL = `appvars tui --data ${FILE}`;

/** Each makes what a picture needs in a terminal's folder, and resolves to the command to run there. */
export const SCENES = {
  local: withFile(shopData),
  odd: withFile(oddData),
  empty: withFile(emptyData),
  broken: async (terminal) => {
    terminal.write(FILE, `${JSON.stringify(shopData()).slice(0, -40)}`);
    return LOCAL;
  },
  remote: withServer([]),
  limited: withServer(["--rate-limit", "6", "--rate-window", "45"]),
  spent: withServer(["--rate-limit", "1", "--rate-window", "45"]),
  refused: withServer([], "not-the-secret"),
  slow: async (terminal) => {
    terminal.write(FILE, shopData());
    return `appvars sandbox --data ${FILE} --env production --latency 60000 -- appvars tui`;
  },
  silent: async (terminal) => {
    const server = createServer(() => {});
    const open = new Set();
    server.on("connection", (socket) => open.add(socket));
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    terminal.onClose(() => {
      for (const socket of open) socket.destroy();
      server.close();
    });
    addProfiles(terminal, `http://127.0.0.1:${server.address().port}`);
    return "appvars tui";
  },
  /** Nothing listens on that port. */
  unreachable: async (terminal) => {
    addProfiles(terminal, "http://127.0.0.1:9");
    return "appvars tui";
  },
};

function withFile(content) {
  return async (terminal) => {
    terminal.write(FILE, content());
    return LOCAL;
  };
}

function withServer(options, secret) {
  return async (terminal) => {
    terminal.write(FILE, shopData());
    const { url, stop } = await terminal.serve("--data", FILE, ...options);
    terminal.stopServer = stop;
    addProfiles(terminal, url, secret);
    return "appvars tui";
  };
}

function addProfiles(terminal, url, secret) {
  for (const name of ["staging", "production"]) {
    const args = ["profile", "add", name, "--no-check", "--url", url, "--api-key", `shop-${name}`];
    terminal.run(args, { APPVARS_API_SECRET: secret ?? `example-secret-of-${name}` });
  }
}

/** Writes the data file anew, with some of it another. */
export function changeData(terminal) {
  const data = shopData();
  const developmentValue = (name) => {
    const { id } = data.variables.find((variable) => variable.name === name);
    return data.values.find((value) => value.variable_id === id && value.environment_id === 1);
  };
  developmentValue("PORT").content.value = 3001;
  developmentValue("LOG_LEVEL").content.value = "trace";
  data.variables.push({
    id: 99,
    application: "shop",
    type: "STRING",
    name: "BANNER_TEXT",
    description: "Above all pages",
  });
  data.values.push({ id: 999, variable_id: 99, environment_id: 1, content: { value: "Free delivery today" } });
  terminal.write(FILE, data);
}

/** Breaks the data file. */
export function breakData(terminal) {
  terminal.write(FILE, '{ "version": 1, "environments": [');
}
