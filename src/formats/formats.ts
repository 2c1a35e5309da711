import type { Reader, Writer } from "./entry.js";

/** The formats by name, loaded on demand with the libraries they need. */
export const WRITERS = {
  dotenv: async () => (await import("./dotenv.js")).writeDotenv,
  shell: async () => (await import("./lines.js")).writeShell,
  fish: async () => (await import("./lines.js")).writeFish,
  json: async () => (await import("./json.js")).writeJson,
  yaml: async () => (await import("./yaml.js")).writeYaml,
  docker: async () => (await import("./lines.js")).writeDocker,
  properties: async () => (await import("./lines.js")).writeProperties,
  tfvars: async () => (await import("./lines.js")).writeTfvars,
  github: async () => (await import("./lines.js")).writeGithub,
} satisfies Record<string, () => Promise<Writer>>;

export const READERS = {
  dotenv: async () => (await import("./dotenv.js")).readDotenv,
  json: async () => (await import("./json.js")).readJson,
  yaml: async () => (await import("./yaml.js")).readYaml,
} satisfies Record<string, () => Promise<Reader>>;

export type ExportFormat = keyof typeof WRITERS;
export type ImportFormat = keyof typeof READERS;

/**
 * Formats that are loaded into the environment of a shell, a program, a container or a CI job. The others are data that
 * a program looks names up in, so no name takes effect merely because it is present.
 */
export const ENVIRONMENT_FORMATS: readonly ExportFormat[] = ["dotenv", "shell", "fish", "docker", "github"];

export const EXPORT_FORMATS = Object.keys(WRITERS) as ExportFormat[];
export const IMPORT_FORMATS = Object.keys(READERS) as ImportFormat[];
