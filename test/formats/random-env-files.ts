// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in dotenv files
import { readDotenv } from "../../src/formats/dotenv.js";
import type { DotenvProgram } from "../../src/formats/reader.js";
import { seededRandom } from "../support/random.js";

const PIECES = [
  ..."'\"`\\$#={}: \n\n\nab1;!~é\t",
  ...[
    "A=",
    "\nB=",
    "\nexport C='",
    '\nD="',
    "\\n",
    '\\"',
    "\\'",
    "\\$",
    "\\\\",
    " #",
    "$$",
    "x",
    "y z",
    "A: ",
  ],
  ...["${A}", "$B", "${X:-d}", "\r\n"],
];

export interface RandomFile {
  text: string;
  values: Record<string, string>;
}

/**
 * Files that a person could have broken, with the values that we read, and those that we refuse.
 */
export function readRandomFiles(
  count: number,
  program?: DotenvProgram,
): { read: RandomFile[]; refused: string[] } {
  const random = seededRandom(7);
  const pick = () => PIECES[Math.floor(random() * PIECES.length)];
  const [read, refused]: [RandomFile[], string[]] = [[], []];
  for (let index = 0; index < count; index++) {
    const text = `A=${Array.from({ length: Math.floor(random() * 14) }, pick).join("")}\nZ=1\n`;
    try {
      const entries = readDotenv(text, { program });
      read.push({
        text,
        values: Object.fromEntries(entries.map(({ name, value }) => [name, String(value)])),
      });
    } catch {
      refused.push(text);
    }
  }
  return { read, refused };
}
