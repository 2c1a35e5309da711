import { escaped } from "../../../scripts/terminal-svg.mjs";

const WIDTH = 720;
const PADDING = 24;
/** Below the title and the note. */
const TOP = 90;
const ROW = 46;
const BARS = { x: 240, width: 376 };
const PLOT = { x: 78, width: 430, height: 330 };
/** Of labels at the ends of lines, between their baselines. */
const LABEL_HEIGHT = 21;
/** From the middle of a line of text to its baseline. */
const TO_BASELINE = 5.5;

/** Text has a contrast of 6:1 or more, bars and lines of 3:1 or more. */
const LIGHT = {
  back: "#ffffff",
  text: "#1f2328",
  muted: "#59636e",
  grid: "#d1d9e0",
  other: "#818b98",
  own: "#0969da",
};
const DARK = {
  back: "#0d1117",
  text: "#e6edf3",
  muted: "#9198a1",
  grid: "#3d444d",
  other: "#6e7681",
  own: "#4493f8",
};

/**
 * Horizontal bars, the shortest first.
 *
 * @param {{ title: string, note: string, bars: { name: string, detail: string, value: number,
 *   isOwn: boolean }[] }} chart
 */
export function barChart({ title, note, bars }) {
  const sorted = bars.toSorted((a, b) => a.value - b.value);
  const perUnit = BARS.width / sorted.at(-1).value;
  const rows = sorted.flatMap(({ name, detail, value, isOwn }, index) => {
    const [middle, width] = [TOP + (index + 0.5) * ROW, tenth(value * perUnit)];
    return [
      label(PADDING, middle - 4, name, isOwn ? "name own" : "name"),
      label(PADDING, middle + 14, detail, "muted"),
      `<rect class="${isOwn ? "own" : "other"}" x="${BARS.x}" y="${middle - 13}" width="${width}" height="26"/>`,
      label(
        BARS.x + width + 8,
        middle + TO_BASELINE,
        oneDecimal(value),
        isOwn ? "name own" : "name",
      ),
    ];
  });
  const height = TOP + sorted.length * ROW;
  const description = sorted
    .map(({ name, detail, value }) => `${name} (${detail}): ${oneDecimal(value)}`)
    .join("; ");
  return picture({ title, note, description, height: height + PADDING }, [
    ...rows,
    `<path class="axis" d="M${BARS.x} ${TOP}V${height}"/>`,
  ]);
}

/**
 * Lines with both scales logarithmic, their names at their ends, and a dashed line for growth in
 * proportion.
 *
 * @param {{ title: string, note: string, unit: string, positions: number[],
 *   lines: { name: string, values: number[], isOwn: boolean }[] }} chart
 */
export function growthChart({ title, note, unit, positions, lines }) {
  const [first, last] = [positions[0], positions.at(-1)];
  const all = lines.flatMap(({ values }) => values);
  const lowest = STEPS.findLast((step) => step < Math.min(...all));
  const proportional = (lowest * last) / first;
  const highest = Math.max(proportional, ...all);
  const bottom = TOP + PLOT.height;
  const right = PLOT.x + PLOT.width;
  const x = scale([first, last], [PLOT.x, right]);
  const y = scale([lowest, highest], [bottom, TOP]);
  const steps = STEPS.filter((step) => step >= lowest && step <= highest);
  const ends = [
    { name: "in proportion", y: y(proportional), look: "muted" },
    ...lines.map(({ name, values, isOwn }) => {
      return {
        name: `${name} ${whole(values.at(-1))} ${unit}`,
        y: y(values.at(-1)),
        look: isOwn ? "own" : "name",
      };
    }),
  ];
  const description = lines
    .map(({ name, values }) => `${name}: ${values.map(whole).join(", ")} ${unit}`)
    .join("; ");
  return picture({ title, note, description, height: bottom + 28 + PADDING }, [
    ...steps.map((step) => `<path class="grid" d="M${PLOT.x} ${y(step)}H${right}"/>`),
    ...steps.map((step) => label(PLOT.x - 10, y(step) + TO_BASELINE, whole(step), "muted end")),
    ...positions.map((position) =>
      label(x(position), bottom + 26, whole(position), "muted middle"),
    ),
    `<path class="proportion" d="M${PLOT.x} ${bottom}L${right} ${y(proportional)}"/>`,
    ...lines.flatMap(({ values, isOwn }) => {
      const points = values.map((value, index) => [x(positions[index]), y(value)]);
      const look = isOwn ? "own" : "other";
      return [
        `<path class="line ${look}-line" d="M${points.map((point) => point.join(" ")).join("L")}"/>`,
        ...points.map(([cx, cy]) => `<circle class="${look}" cx="${cx}" cy="${cy}" r="4"/>`),
      ];
    }),
    ...apart(ends).flatMap(({ name, y, labelY, look }) => [
      `<path class="leader" d="M${right + 8} ${y}L${right + 28} ${labelY}"/>`,
      label(right + 34, labelY + TO_BASELINE, name, look),
    ]),
  ]);
}

/** 1, 2, 5, 10, 20 and so on. */
const STEPS = Array.from(
  { length: 24 },
  (_, index) => [1, 2, 5][index % 3] * 10 ** Math.floor(index / 3),
);
const oneDecimal = (number) =>
  number.toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const tenth = (number) => Math.round(number * 10) / 10;
const whole = (number) => number.toLocaleString("en-US", { maximumFractionDigits: 0 });

function scale([from, to], [start, end]) {
  return (value) => tenth(start + (Math.log(value / from) / Math.log(to / from)) * (end - start));
}

/** Labels that would overlap, moved up and down until they don't. */
function apart(ends) {
  const sorted = ends.toSorted((a, b) => a.y - b.y).map((end) => ({ ...end, labelY: end.y }));
  for (let pass = 0; pass < 200; pass++)
    for (const [index, end] of sorted.entries()) {
      const overlap = index === 0 ? 0 : LABEL_HEIGHT - (end.labelY - sorted[index - 1].labelY);
      if (overlap <= 0) continue;
      sorted[index - 1].labelY -= overlap / 2;
      end.labelY += overlap / 2;
    }
  return sorted.map((end) => ({ ...end, labelY: tenth(end.labelY) }));
}

const label = (x, y, text, look) =>
  `<text class="${look}" x="${tenth(x)}" y="${tenth(y)}">${escaped(text)}</text>`;

/**
 * One file for light and dark: it has its own background, for pages that are dark where the system
 * is light.
 */
function picture({ title, note, description, height }, parts) {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="description">${escaped(`${note}. ${description}`)}</desc>`,
    "<style>",
    "text{font:15px system-ui,-apple-system,'Segoe UI',Helvetica,Arial,'DejaVu Sans',sans-serif}",
    ".title{font-size:19px;font-weight:600}.name{font-size:16px}.own{font-size:16px;font-weight:600}",
    ".end{text-anchor:end}.middle{text-anchor:middle}",
    ".line,.leader,.axis,.grid,.proportion{fill:none}.line{stroke-width:2.5}.proportion{stroke-dasharray:3 5}",
    colors(LIGHT),
    `@media (prefers-color-scheme:dark){${colors(DARK)}}`,
    "</style>",
    `<rect class="back" x=".5" y=".5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>`,
    label(PADDING, 38, title, "title"),
    label(PADDING, 62, note, "muted"),
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

function colors({ back, text, muted, grid, other, own }) {
  return [
    `.back{fill:${back};stroke:${grid}}.title,.name{fill:${text}}.muted{fill:${muted}}.other{fill:${other}}.own{fill:${own}}`,
    `.other-line{stroke:${other}}.own-line{stroke:${own}}.axis,.proportion,.leader{stroke:${muted}}.grid{stroke:${grid}}`,
  ].join("");
}
