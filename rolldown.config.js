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
 * Source files that are loaded together with everything they import; what several chunks import is in the first of
 * them. Rolldown alone would make many small files, and each costs a one-shot command about half a millisecond.
 */
const CHUNKS = {
  /** The start of every command. */
  core: ["cli/start.ts"],
  /** `get` from a server, and what other commands that read need too. */
  read: [
    "cli/arguments/parse-words.ts",
    "tasks/sources/run-get.ts",
    "client/client.ts",
    "model/source.ts",
    // In a data file and for `run`.
    "model/name-matcher.ts",
  ],
  /** `run`, which scripts call most often after `get`. */
  run: ["tasks/run/run-program.ts"],
  /** Other commands. */
  main: ["cli/program.ts"],
  /** A data file. */
  local: ["tasks/data/open-data.ts", "service/service.ts"],
};

export default defineConfig([
  /** CommonJS, which Node loads sooner. All packages are in it: an installation has no others. */
  {
    input: {
      start: "src/cli/start.ts",
      index: "src/index.ts",
      "worker-process": "src/cli/commands/serve/worker-process.ts",
      "parse-worker": "src/store/file/parse-worker.ts",
      // Two entries with the modules of `core` make it a chunk of its own.
      errors: "src/kit/text/errors.ts",
    },
    platform,
    resolve,
    transform,
    preserveEntrySignatures: "allow-extension",
    external: ["ioredis", "rate-limiter-flexible"],
    plugins: [
      leaveInkApart(),
      mergeRuntime("core.cjs", "read.cjs", "local.cjs"),
      collectLicenses("LICENSES.md"),
    ],
    output: {
      dir: `${dist}/cli`,
      format: "cjs",
      entryFileNames: "[name].cjs",
      chunkFileNames: "[name].cjs",
      comments: false,
      codeSplitting: {
        groups: [{ name: chunkOf, debugName: "chunkOf" }],
        includeDependenciesRecursively: false,
      },
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
    plugins: [replaceInkOutput(), leaveOut("react-devtools-core"), collectLicenses("LICENSES.md")],
    output: {
      dir: `${dist}/tui`,
      entryFileNames: "[name].js",
      format: "esm",
      codeSplitting: false,
      comments: false,
    },
  },
]);

/** The name in {@link CHUNKS} of a module's chunk; undefined to let Rolldown choose. */
function chunkOf(id, context) {
  const importers = withImporters(id, context);
  return Object.keys(CHUNKS).find((name) =>
    CHUNKS[name].some((path) => importers.has(inSources(path))),
  );
}

/** A module and all that import it, directly or not; a dynamic import does not count. */
function withImporters(id, context, found = new Set()) {
  if (found.has(id)) return found;
  found.add(id);
  for (const importer of context.getModuleInfo(id)?.importers ?? [])
    withImporters(importer, context, found);
  return found;
}

function inSources(path) {
  const file = fileURLToPath(new URL(`src/${path}`, import.meta.url));
  if (!existsSync(file)) throw new Error(`${file}, which names a chunk, does not exist`);
  return file;
}

/** It is a bundle of its own. */
function leaveInkApart() {
  return {
    name: "leave-ink-apart",
    resolveId: (specifier) =>
      specifier.endsWith("/draw.js") ? { id: "../tui/draw.js", external: "relative" } : undefined,
  };
}

/** Builtins that take time to load, and that not every command uses. */
const LAZY =
  /^let (node_(?:http|crypto|fs_promises|os|timers_promises|v8)) = require\("(node:[\w/]+)"\);$/gm;

/**
 * Makes commands start sooner. The helpers of Rolldown are in the chunk that all of them load. The exports of a chunk
 * are one object: it imports none that imports it, so that they all have their values by the time it ends.
 *
 * @param chunks the first is that chunk, and the others import no other; some builtins are loaded when they are first used
 */
function mergeRuntime(...chunks) {
  const [core] = chunks;
  const runtime = "rolldown-runtime.cjs";
  const request = `require("./${runtime}")`;
  const getter =
    /^Object\.defineProperty\(exports, "([\w$]+)", \{\s+enumerable: true,\s+get: function\(\) \{\s+return (\S+);\s+\}\s+\}\);$/gm;
  return {
    name: "merge-runtime",
    generateBundle(_options, bundle) {
      for (const name of chunks) {
        const exported = name === core ? ["...require_rolldown_runtime"] : [];
        const toExported = (_, key, value) => {
          exported.push(`${key}: ${value}`);
          return "";
        };
        const lazy = [];
        const toLazy = (_, builtin, specifier) => {
          lazy.push(builtin);
          return `let ${builtin}_loaded;\nconst ${builtin} = () => (${builtin}_loaded ??= require("${specifier}"));`;
        };
        const code = bundle[name].code.replace(getter, toExported).replace(LAZY, toLazy).trimEnd();
        if (exported.length < 2) throw new Error(`${name} is not what Rolldown wrote before`);
        const uses = new RegExp(`\\b(${lazy.join("|")})\\.`, "g");
        bundle[name].code =
          `${code.replace(uses, "($1()).")}\nmodule.exports = { ${exported.join(", ")} };\n`;
      }
      const helpers = `((exports) => {\n${bundle[runtime].code}\nreturn exports;\n})({})`;
      for (const chunk of Object.values(bundle)) {
        if (chunk.type === "chunk")
          chunk.code = chunk.code.replace(request, () =>
            chunk.fileName === core ? helpers : `require("./${core}")`,
          );
      }
      delete bundle[runtime];
    },
  };
}

/** A package that ink loads only for debugging, and that is not installed. */
function leaveOut(name) {
  return {
    name: "leave-out",
    resolveId: (specifier) => (specifier === name ? `\0${name}` : undefined),
    load: (id) => (id === `\0${name}` ? "export default {};" : undefined),
  };
}
