import widestLine from "./widest-line.js";

/** In the place of ink's own function in the bundle, which keeps every text that was ever measured: values, for ever. */
export default function measureText(text: string): { width: number; height: number } {
  return text === "" ? { width: 0, height: 0 } : { width: widestLine(text), height: text.split("\n").length };
}
