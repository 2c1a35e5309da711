import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { run } from "./support/binary.js";
import { temporaryFolder } from "./support/temporary-folder.js";

const SCRIPT = fileURLToPath(new URL("../scripts/frame-to-svg.mjs", import.meta.url));
const RED = "#ff7b72";
const TEXT = "#e6edf3";
const BACKGROUND = "#0d1117";

describe("the picture of a terminal", () => {
  it.each([
    ["\x1b[31mx\x1b[39my", [`<tspan x="12" fill="${RED}">x</tspan>`, `<tspan x="21" fill="${TEXT}">y</tspan>`]],
    ["\x1b[91mx", ['fill="#ffa198">x<']],
    ["\x1b[38;5;1mx", [`fill="${RED}">x<`]],
    ["\x1b[38;5;208;1mx", ['fill="#ff8700" font-weight="bold">x<']],
    ["\x1b[38;5;240mx", ['fill="#585858">x<']],
    ["\x1b[38;2;1;2;255mx", ['fill="#0102ff">x<']],
    ["\x1b[38:2::1:2:255mx", ['fill="#0102ff">x<']],
    ["\x1b[3mx\x1b[23;2my\x1b[0mz", ['font-style="italic">x<', 'fill-opacity="0.6">y<', `fill="${TEXT}">z<`]],
    ["\x1b[32m\nx", ['fill="#3fb950">x<']],
  ])("has the colours and attributes of %j", async (frame, expected) => {
    const svg = await picture(frame);
    for (const part of expected) expect(svg).toContain(part);
  });

  it("swaps colours where they are inverse, below blanks as well", async () => {
    const svg = await picture("\x1b[7ma b\x1b[31m c\x1b[27m");
    expect(svg).toContain(`<rect x="12" y="44" width="27" height="19" fill="${TEXT}"/>`);
    expect(svg).toContain(`<rect x="39" y="44" width="18" height="19" fill="${RED}"/>`);
    expect(svg).toContain(`<tspan x="48" fill="${BACKGROUND}">c</tspan>`);
  });

  it("takes the colour of an underline for neither the text's nor the background's", async () => {
    const svg = await picture("\x1b[58;2;1;1;1;31mx");
    expect(svg).toContain(`fill="${RED}">x<`);
    expect(svg).not.toContain("#010101");
  });

  it("underlines blanks", async () => {
    expect(await picture("\x1b[4ma b")).toContain(`d="M12 60.5h27" stroke="${TEXT}"`);
  });

  it("keeps the columns of what follows wide characters", async () => {
    const svg = await picture("漢字x👋é|");
    expect(svg).toContain('<tspan x="12" fill="#e6edf3">漢</tspan><tspan x="30" fill="#e6edf3">字</tspan>');
    expect(svg).toContain('<tspan x="48" fill="#e6edf3">x</tspan><tspan x="57" fill="#e6edf3">👋</tspan>');
    expect(svg).toContain('<tspan x="75 84" fill="#e6edf3">é|</tspan>');
  });

  it("escapes text and title, and leaves out what is no text", async () => {
    const svg = await picture('<a href="x">&\x1b]8;;http://x\x07\x1b(B\x0f\x07\x1b[?25l.', "--title", "<&>");
    expect(svg).toContain(">&lt;a</tspan>");
    expect(svg).toContain(">href=&quot;x&quot;&gt;&amp;.</tspan>");
    expect(svg).toContain("<title>&lt;&amp;&gt;</title>");
    expect(svg).not.toMatch(/[^\n -~]/);
  });

  it("draws lines up to the edges of their cells, so that they meet", async () => {
    const svg = await picture("┌─┐\n│x│");
    expect(svg).toContain('d="M21 53.5H16.5V63M30 53.5H21M30 53.5H34.5V63" stroke-width="1"');
    expect(svg).toContain('d="M16.5 63V82M34.5 63V82"');
    expect(await picture("▄")).toContain('y="53.5" width="9" height="9.5"');
  });

  it("is light when it is asked to be, and is as large as the screen", async () => {
    const svg = await picture("x\n\n\n", "--background", "light", "--columns", "80");
    expect(svg).toContain('fill="#ffffff"');
    expect(svg).toContain('viewBox="0 0 744 113"');
  });
});

/** What the script makes of a frame. */
async function picture(frame: string, ...options: string[]): Promise<string> {
  const file = join(await temporaryFolder(), "frame");
  await writeFile(file, frame);
  const { code, stdout, stderr } = await run(process.execPath, [SCRIPT, ...options, file]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}
