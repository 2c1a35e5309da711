/**
 * Draws `appvars tui` from the built program in tmux. Without arguments it makes the pictures of
 * README and docs/tui.md. To look at another view: node scripts/screenshot.mjs --out FILE.svg
 * [--size 80x24] [--theme light] [KEY...], with the keys by their names in tmux. To convert:
 * rsvg-convert FILE.svg -o FILE.png
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { terminalSvg } from "./terminal-svg.mjs";

const { values: flags, positionals: keys } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string" },
    size: { type: "string", default: "120x30" },
    theme: { type: "string", default: "dark" },
  },
});
const [columns, rows] = flags.size.split("x").map(Number);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const FILE = "vars.json";
const TIMEOUT_MS = 20_000;

/** Variables of a made-up shop: type, name, description and value. */
const VARIABLES = `
STRING | DATABASE_URL | Primary database | "postgres://shop@db.localhost/shop"
NUMBER | DATABASE_POOL_SIZE | Connections per process | 10
STRING | CACHE_URL | Sessions and carts | "redis://cache.localhost:6379/0"
NUMBER | PORT | Port of the shop | 3000
BOOLEAN | DEBUG | Log every step | true
STRING | LOG_LEVEL | trace, debug, info, warn or error | "debug"
JSON | FEATURE_FLAGS | Features and who has them | {"checkout_v2":true,"express_delivery":{"countries":["DE","FR","NL"],"cutoff_hour":15},"recommendations":{"engine":"trending","limit":12,"rollout":0.25},"themes":["light","dark"],"gift_wrap":null}
STRING | PAYMENT_API_KEY | Key of the payment provider | "pk-example-4f9a27"
STRING | PAYMENT_WEBHOOK_SECRET | Signs the provider's messages | "whsec-example"
NUMBER | PAYMENT_TIMEOUT_MS | Time limit of a payment | 8000
STRING | SEARCH_URL | Index of products | "https://search.localhost/products"
NUMBER | SEARCH_PAGE_SIZE | Products per page | 24
BOOLEAN | SEARCH_FUZZY | Find misspelled words | true
STRING | SMTP_URL | Outgoing mail | "smtp://mail.localhost:587"
STRING | MAIL_FROM | Sender of order confirmations | "Shop <orders@shop.example>"
JSON | CURRENCIES | Accepted currencies, default first | ["EUR","USD","GBP"]
NUMBER | VAT_RATE | Value-added tax, 0 to 1 | 0.19
STRING | CDN_URL | Host of all images | "https://cdn.localhost"
BOOLEAN | MAINTENANCE_MODE | Answer every page with 503 | false
STRING | SENTRY_DSN | Where errors are reported | null
JSON | RATE_LIMITS | Requests per minute and client | {"anonymous":60,"customer":240,"partner":1200}
NUMBER | CART_TTL_HOURS | Lifetime of a cart | 72
STRING | GREETING | First line of the start page | "Hello, it's your shop 👋"`;

/**
 * The values of the other environments that are not those of development; null where there is none.
 */
const ELSEWHERE = {
  staging: {
    DATABASE_URL: "postgres://shop@db.staging.localhost/shop",
    LOG_LEVEL: "info",
    DEBUG: false,
    SENTRY_DSN: "https://sentry.localhost/4",
    GREETING: null,
  },
  production: {
    DATABASE_URL: "postgres://shop@db-1.prod.localhost,db-2.prod.localhost/shop",
    DATABASE_POOL_SIZE: 50,
    DEBUG: false,
    LOG_LEVEL: "warn",
    FEATURE_FLAGS: {
      checkout_v2: false,
      express_delivery: { countries: ["DE", "FR"], cutoff_hour: 14 },
      recommendations: { engine: "trending", limit: 12, rollout: 1 },
      themes: ["light", "dark"],
      gift_wrap: true,
    },
    PAYMENT_API_KEY: "pk-live-example-77b0c1",
    PAYMENT_WEBHOOK_SECRET: null,
    SEARCH_FUZZY: null,
    SENTRY_DSN: "https://sentry.localhost/7",
  },
};

/** Entries that are shown as changed and as new. */
const CHANGES = `${VARIABLES.replace("| 3000", "| 3001").replace('"debug"', '"trace"')}
STRING | BANNER_TEXT | Above all pages | "Free delivery today"`;

/** The pictures of the documentation, and the keys before each. */
const PICTURES = {
  "tui.svg": async () => {
    writeData(CHANGES);
    await until(/~ PORT/);
    press("jjjjjj");
    await until(/Features and who/);
    // The notice about the changes has expired.
    await until(/q quit/);
    press("v");
    await until(/"checkout_v2": /);
  },
  "tui-matrix.svg": async () => {
    press("m");
    await until(/= same +~ differs +~ differs/);
    press("jjjjjjl");
    await until(/› +FEATURE_FLAGS/);
  },
  "tui-diff.svg": async () => {
    press("d");
    await until(/Compare development with/);
    press("j", "Enter");
    await until(/development → production/);
    press("jj", "V", "Tab");
    await until(/recommendations/);
  },
  "tui-edit.svg": async () => {
    press("jjjjjj");
    await until(/› +FEATURE_FLAGS/);
    press("e");
    await until(/› value/);
    press("Down", "End", "BSpace", "BSpace", "BSpace", "BSpace", "BSpace", "false,", "C-s");
    await until(/"checkout_v2": false/);
  },
};

/** The tmux server of the picture: one that is ending can't be started again. */
let server = 0;

const home = mkdtempSync(join(tmpdir(), "appvars-screenshot-"));
try {
  if (flags.out !== undefined) await draw(flags.out, () => pressEach(keys));
  else for (const [name, act] of Object.entries(PICTURES)) await draw(here(`../docs/${name}`), act);
} finally {
  rmSync(home, { recursive: true });
}

/** @param act called when the TUI shows the variables */
async function draw(out, act) {
  writeData(VARIABLES);
  server++;
  const size = ["-x", String(columns), "-y", String(rows)];
  const command = [
    process.execPath,
    here("../bin/appvars.cjs"),
    "tui",
    "--data",
    FILE,
    "--theme",
    flags.theme,
  ];
  const settings = [
    "set",
    "-g",
    "status",
    "off",
    ";",
    "set",
    "-g",
    "default-terminal",
    "tmux-256color",
    ";",
  ];
  try {
    tmux("start-server", ";", ...settings, "new-session", "-d", ...size, "-c", home, ...command);
    await until(/variables · /);
    await act();
    const options = {
      title: `appvars tui --data ${FILE}`,
      columns,
      isLight: flags.theme === "light",
    };
    // The same picture every time, whenever it is taken.
    const frame = tmux("capture-pane", "-p", "-e")
      .replace(/\b\d s old/, "1 s old")
      .replace(/shown \d+ s/, "shown 29 s");
    writeFileSync(out, terminalSvg(frame, options));
  } finally {
    tmux("kill-server");
  }
}

function press(...names) {
  tmux("send-keys", ...names);
}

async function pressEach(names) {
  for (const name of names) {
    const before = screen();
    press(name);
    await until((after) => after !== before);
  }
}

function writeData(text) {
  const rows = text.trim().split("\n");
  const environments = ["development", "staging", "production"].map((name, index) => {
    return {
      id: index + 1,
      application: "shop",
      name,
      api_key: `shop-${name}`,
      api_secret: `example-secret-of-${name}`,
    };
  });
  const variables = rows.map((row, index) => {
    const [type, name, description] = row.split(" | ");
    const isPublic = type === "NUMBER" || type === "BOOLEAN";
    return {
      id: index + 1,
      application: "shop",
      type,
      name,
      description,
      ...(isPublic && { secret: false }),
    };
  });
  const values = rows.flatMap((row, index) => {
    const [, key, , ...rest] = row.split(" | ");
    const own = JSON.parse(rest.join(" | "));
    return environments.flatMap(({ id, name }) => {
      const { [key]: value = own } = ELSEWHERE[name] ?? {};
      return value === null
        ? []
        : [
            {
              id: 100 * id + index,
              variable_id: index + 1,
              environment_id: id,
              content: { value },
            },
          ];
    });
  });
  writeFileSync(join(home, FILE), JSON.stringify({ version: 1, environments, variables, values }), {
    mode: 0o600,
  });
}

function screen() {
  return tmux("capture-pane", "-p");
}

async function until(expected) {
  const isThere = expected instanceof RegExp ? (text) => expected.test(text) : expected;
  const deadline = performance.now() + TIMEOUT_MS;
  while (!isThere(screen())) {
    if (performance.now() > deadline)
      throw new Error(`${expected} did not appear on the screen:\n${screen()}`);
    await delay(50);
  }
}

function tmux(...args) {
  // Nothing else of this process's environment.
  const env = {
    PATH: process.env.PATH,
    LANG: "C.UTF-8",
    FORCE_COLOR: "3",
    HOME: home,
    TMUX_TMPDIR: home,
  };
  return execFileSync("tmux", ["-u", "-f", "/dev/null", "-L", String(server), ...args], {
    env,
    encoding: "utf8",
  });
}
