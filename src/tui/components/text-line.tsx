import { Text } from "ink";
import { memo } from "react";
import { useTheme } from "../hooks/use-theme.js";
import type { Line, Span } from "../text/line.js";
import { paint } from "../text/paint.js";

interface TextLineProps {
  /** No wider than the room there is for it. */
  readonly line: Line;
}

/** One line of the screen. It never wraps. Most lines of a frame are what they were before: they cost nothing then. */
export const TextLine = memo(function TextLine({ line }: TextLineProps) {
  return <Text wrap="truncate">{paint(line, useTheme())}</Text>;
}, isSameLine);

function isSameLine({ line: before }: TextLineProps, { line: after }: TextLineProps): boolean {
  return before.length === after.length && before.every((span, index) => isSameSpan(span, after[index]));
}

function isSameSpan(a: Span, b: Span | undefined): boolean {
  return a.text === b?.text && a.role === b.role && a.isBold === b.isBold && a.isInverse === b.isInverse;
}
