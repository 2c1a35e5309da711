import type { Reader } from "./reader.js";
import type { Writer } from "./writer.js";

type Lines = typeof import("./lines.js");

const lines = (name: Extract<keyof Lines, `write${string}`>) => async () =>
  (await import("./lines.js"))[name];

/** The formats, which are loaded on demand with their libraries. */
export const WRITERS = {
  dotenv: async () => (await import("./dotenv.js")).writeDotenv,
  shell: lines("writeShell"),
  fish: lines("writeFish"),
  json: async () => (await import("./json.js")).writeJson,
  yaml: async () => (await import("./yaml.js")).writeYaml,
  docker: lines("writeDocker"),
  tfvars: lines("writeTfvars"),
  github: lines("writeGithub"),
  kubernetes: async () => (await import("./manifests.js")).writeKubernetes,
  compose: async () => (await import("./manifests.js")).writeCompose,
  systemd: lines("writeSystemd"),
  powershell: lines("writePowershell"),
} satisfies Record<string, () => Promise<Writer>>;

export const READERS = {
  dotenv: async () => (await import("./dotenv.js")).readDotenv,
  json: async () => (await import("./json.js")).readJson,
  yaml: async () => (await import("./yaml.js")).readYaml,
} satisfies Record<string, () => Promise<Reader>>;

export type ExportFormat = keyof typeof WRITERS;
export type ImportFormat = keyof typeof READERS;

/**
 * Formats of documents, in which a program looks up the names that it knows. The
 * other formats set environment variables, so reserved names are left out.
 */
export const DATA_FORMATS: readonly ExportFormat[] = ["json", "yaml", "tfvars"];

/** The rules for the names of documents. `rule` follows "must be". */
export const NAME_RULES: Partial<Record<ExportFormat, { pattern: RegExp; rule: string }>> = {
  // kubernetes.io, "Object Names and IDs", DNS subdomain names
  kubernetes: {
    pattern: /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/,
    rule: "lower-case letters, digits, - and ., up to 253, and begin and end with a letter or digit",
  },
  // docs.docker.com, "services" in the Compose file reference
  compose: { pattern: /^[A-Za-z0-9._-]+$/, rule: "letters, digits, ., _ and -" },
};

export const EXPORT_FORMATS = Object.keys(WRITERS) as ExportFormat[];
export const ENVIRONMENT_FORMATS = EXPORT_FORMATS.filter(
  (format) => !DATA_FORMATS.includes(format),
);
export const IMPORT_FORMATS = Object.keys(READERS) as ImportFormat[];
