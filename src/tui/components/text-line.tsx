import { Text } from "ink";
import { memo } from "react";
import { useTheme } from "../hooks/use-theme.js";
import type { Line } from "../text/line.js";

interface TextLineProps {
  /** No wider than the room there is for it. */
  readonly line: Line;
}

/** One line of the screen. It never wraps. */
export const TextLine = memo(function TextLine({ line }: TextLineProps) {
  const theme = useTheme();
  const spans = line.map(({ text, role = "text", isBold, isInverse }, index) => {
    if (role === "text" && !isBold && !isInverse) return text;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a span is nothing but its place in the line
      <Text key={index} {...theme[role]} {...(isBold && { bold: true })} {...(isInverse && { inverse: true })}>
        {text}
      </Text>
    );
  });
  return <Text wrap="truncate">{spans}</Text>;
});
