import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "rolldown";
import { collectLicenses } from "./scripts/collect-licenses.mjs";
import { replaceInkOutput } from "./scripts/replace-ink-output.mjs";

const platform = "node";
/** `scripts/build.mjs` moves what is built there into place. */
const dist = `${process.env.BUILD_FOLDER ?? "."}/dist`;
const resolve = { extensionAlias: { ".js": [".ts", ".tsx", ".js"] } };
const transform = { define: { "process.env.NODE_ENV": '"production"' } };

/**
 * Source files whose imports are loaded with them, in one file each; what several of them import is in the first.
 * Rolldown alone would make many small files, and each takes a short command about half a millisecond.
 */
const CHUNKS = {
  /** Every command. */
  start: ["cli/start.ts"],
  /** `get` from a server; most of it is needed by all commands that read. */
  read: [
    "cli/commands/read/get.ts",
    "tasks/settings/resolve-settings.ts",
    "client/client.ts",
    "model/reads/variable-entries.ts",
    // `run` and data files need it.
    "model/name-matcher.ts",
  ],
  /** A data file. */
  local: ["tasks/data/open-data.ts", "service/service.ts"],
  /** `run`, which scripts call most often after `get`. */
  run: ["cli/commands/read/run.ts"],
  /** All other commands. */
  main: ["cli/parse-with-commander.ts"],
};

export default defineConfig([
  /** CommonJS, which Node loads sooner. All packages are in it: an installation has no others. */
  {
    input: {
      start: "src/cli/start.ts",
      index: "src/index.ts",
      "parse-worker": "src/store/bytes/parse-worker.ts",
    },
    platform,
    resolve,
    transform,
    preserveEntrySignatures: "allow-extension",
    plugins: [
      leaveInkApart(),
      // prom-client uses them for summaries and exemplars, which appvars does not have.
      leaveOut("tdigest", "@opentelemetry/api"),
      collectLicenses("LICENSES.md"),
    ],
    output: {
      dir: `${dist}/cli`,
      format: "cjs",
      entryFileNames: "[name].cjs",
      chunkFileNames: "[name].cjs",
      comments: false,
      codeSplitting: { groups: Object.entries(CHUNKS).map(toGroup) },
    },
  },
  {
    input: "src/cli/compile-cache.ts",
    platform,
    resolve,
    output: { file: `${dist}/cli/compile-cache.cjs`, format: "cjs", comments: false },
  },
  /** What draws the TUI: ink and React, which load in 110 ms from one file instead of 600 ms from many. They need ES modules. */
  {
    input: "src/tui/program/draw.tsx",
    platform,
    resolve,
    transform,
    plugins: [replaceInkOutput(), leaveOut("./devtools.js"), collectLicenses("LICENSES.md")],
    output: {
      dir: `${dist}/tui`,
      entryFileNames: "[name].js",
      format: "esm",
      codeSplitting: false,
      comments: false,
    },
  },
]);

/** A group of Rolldown; where two match, the first one counts. */
function toGroup([name, paths]) {
  const files = paths.map((path) => fileURLToPath(new URL(`src/${path}`, import.meta.url)));
  const missing = files.find((file) => !existsSync(file));
  if (missing) throw new Error(`CHUNKS names ${missing}, which does not exist`);
  return { name, test: (id) => files.includes(id) };
}

/** The terminal interface is a bundle of its own. */
function leaveInkApart() {
  return {
    name: "leave-ink-apart",
    resolveId: (specifier) =>
      specifier.endsWith("/draw.js") ? { id: "../tui/draw.js", external: "relative" } : undefined,
  };
}

/** Replaces modules that never run by an empty one. */
function leaveOut(...specifiers) {
  const empty = "\0left-out";
  return {
    name: "leave-out",
    resolveId: (specifier) => (specifiers.includes(specifier) ? empty : undefined),
    load: (id) => (id === empty ? "export default {};" : undefined),
  };
}
