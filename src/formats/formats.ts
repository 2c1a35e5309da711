import type { Reader, Writer } from "./entry.js";

/** The formats by name. Each is loaded, with the library behind it, only when it is asked for. */
export const WRITERS = {
  dotenv: async () => (await import("./write-dotenv.js")).writeDotenv,
  shell: async () => (await import("./write-shell.js")).writeShell,
  fish: async () => (await import("./write-fish.js")).writeFish,
  json: async () => (await import("./write-json.js")).writeJson,
  yaml: async () => (await import("./write-yaml.js")).writeYaml,
  docker: async () => (await import("./write-docker.js")).writeDocker,
  properties: async () => (await import("./write-properties.js")).writeProperties,
  tfvars: async () => (await import("./write-tfvars.js")).writeTfvars,
  github: async () => (await import("./write-github.js")).writeGithub,
} satisfies Record<string, () => Promise<Writer>>;

export const READERS = {
  dotenv: async () => (await import("./read-dotenv.js")).readDotenv,
  json: async () => (await import("./read-json.js")).readJson,
  yaml: async () => (await import("./read-yaml.js")).readYaml,
} satisfies Record<string, () => Promise<Reader>>;

export type ExportFormat = keyof typeof WRITERS;
export type ImportFormat = keyof typeof READERS;

export const EXPORT_FORMATS = Object.keys(WRITERS) as ExportFormat[];
export const IMPORT_FORMATS = Object.keys(READERS) as ImportFormat[];
