import { UsageError } from "../kit/text/errors.js";
import { valueText } from "../model/variable.js";
import { type ExportCheck, loneSurrogate, nul, refuse, type Writer } from "./writer.js";
import { writeYaml } from "./yaml.js";

const DEFAULT_NAME = "appvars";

/** Kubernetes' MaxSecretSize: the size of all decoded values together. */
const MAX_SECRET_BYTES = 1024 * 1024;

const longKey: ExportCheck = ({ name }) =>
  name.length > 253 ? "a key of a Secret has at most 253 characters" : undefined;

/**
 * Writes a Secret for `kubectl apply -f -`. Base64 can hold every value, and
 * each name that is not too long is a valid key.
 */
export const writeKubernetes: Writer = (entries, { name = DEFAULT_NAME } = {}) => {
  refuse("kubernetes", entries, longKey, loneSurrogate);
  const encoded = entries.map((entry) => {
    const bytes = Buffer.from(valueText(entry.value));
    return { ...entry, value: bytes.toString("base64"), size: bytes.length };
  });
  const total = encoded.reduce((sum, { size }) => sum + size, 0);
  if (total > MAX_SECRET_BYTES) {
    const largest = encoded.reduce((a, b) => (b.size > a.size ? b : a));
    throw new UsageError(
      `a Secret holds at most ${MAX_SECRET_BYTES} bytes, and these values have ${total}; ` +
        `the largest is ${largest.name} with ${largest.size}`,
    );
  }
  const head = `apiVersion: v1\nkind: Secret\nmetadata:\n  name: ${JSON.stringify(name)}\ntype: Opaque\ndata:\n`;
  return head + indent(writeYaml(encoded), 2);
};

/**
 * Writes a Compose file to merge or extend. Compose replaces `$$` with `$`, and
 * expands variables (docs, "Interpolation").
 */
export const writeCompose: Writer = (entries, { name = DEFAULT_NAME } = {}) => {
  refuse("compose", entries, nul, loneSurrogate);
  const escaped = entries.map((entry) => ({
    ...entry,
    value: valueText(entry.value).replaceAll("$", "$$$$"),
  }));
  return `services:\n  ${JSON.stringify(name)}:\n    environment:\n${indent(writeYaml(escaped), 6)}`;
};

/**
 * Indents every line. Line breaks in strings are escaped, so none of them is
 * affected.
 */
function indent(text: string, width: number): string {
  return text.replace(/^(?=.)/gm, " ".repeat(width));
}
