import { UsageError } from "../kit/text/errors.js";
import { type NamedValue, valueText } from "../model/variable.js";
import { loneSurrogate, nul, type Refusal, refuse, type WriteOptions } from "./entry.js";
import { writeYaml } from "./yaml.js";

const DEFAULT_NAME = "appvars";

/** Kubernetes' MaxSecretSize, for all decoded values together. */
const MAX_SECRET_BYTES = 1024 * 1024;

const longKey: Refusal = ({ name }) =>
  name.length > 253 ? "a key of a Secret has at most 253 characters" : undefined;

/**
 * A Secret for `kubectl apply -f -`. In base64 it holds every value, and each name that is not too
 * long is a valid key.
 */
export function writeKubernetes(
  entries: readonly NamedValue[],
  { name = DEFAULT_NAME }: WriteOptions = {},
): string {
  refuse("kubernetes", entries, longKey, loneSurrogate);
  const encoded = entries.map((entry) => ({
    ...entry,
    bytes: Buffer.from(valueText(entry.value)),
  }));
  const size = encoded.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (size > MAX_SECRET_BYTES) {
    const largest = encoded.reduce((a, b) => (b.bytes.length > a.bytes.length ? b : a));
    throw new UsageError(
      `a Secret holds at most ${MAX_SECRET_BYTES} bytes, and these values have ${size}; ` +
        `the largest is ${largest.name} with ${largest.bytes.length}`,
    );
  }
  const data = encoded.map((entry) => ({ ...entry, value: entry.bytes.toString("base64") }));
  const head = `apiVersion: v1\nkind: Secret\nmetadata:\n  name: ${JSON.stringify(name)}\ntype: Opaque\ndata:\n`;
  return head + indent(writeYaml(data), 2);
}

/**
 * A Compose file to merge or extend. Compose replaces `$$` by `$` and expands other variables
 * (docs, "Interpolation").
 */
export function writeCompose(
  entries: readonly NamedValue[],
  { name = DEFAULT_NAME }: WriteOptions = {},
): string {
  refuse("compose", entries, nul, loneSurrogate);
  const escaped = entries.map((entry) => ({
    ...entry,
    value: valueText(entry.value).replaceAll("$", "$$$$"),
  }));
  return `services:\n  ${JSON.stringify(name)}:\n    environment:\n${indent(writeYaml(escaped), 6)}`;
}

/** Every line is a line of YAML: strings with line breaks are escaped. */
function indent(text: string, width: number): string {
  return text.replace(/^(?=.)/gm, " ".repeat(width));
}
