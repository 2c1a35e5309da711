import { constants, isAscii } from "node:buffer";
import { getHeapStatistics } from "node:v8";
import { InvalidDataError } from "../domain/errors.js";
import { sizeText } from "../files/open-file.js";

/** Bytes of the largest data file: JSON is parsed from one string, and V8's longest has about 512 MB. */
export const MAX_DATA_SIZE = constants.MAX_STRING_LENGTH;

/** For everything else in the process, and for the young generation, which counts towards the heap limit. */
const RESERVE = 80 * 1_048_576;

/** What can be told from the characters that give JSON its structure, valid or not. */
export interface JsonScan {
  /** Bytes of heap while it is parsed. */
  readonly peak: number;
  /** Bytes of heap afterwards, while the data is held. */
  readonly held: number;
}

/**
 * Checks that there is enough heap to parse a file while `held` bytes of earlier data are still in use. V8 ends the whole
 * process, and the earlier data with it, when memory runs out, so this is checked first.
 *
 * @throws InvalidDataError with a predicate as its message when there is not enough
 */
export function checkHeap({ peak }: JsonScan, held = 0): void {
  const left = getHeapStatistics().heap_size_limit - RESERVE - held;
  if (peak <= left) return;
  throw new InvalidDataError(
    `is too large for the memory of this process: it may need ${sizeText(peak)}, and ` +
      `${sizeText(Math.max(0, left))} are left; to allow more, set NODE_OPTIONS=--max-old-space-size`,
  );
}

const [QUOTE, COLON, COMMA, BACKSLASH] = [0x22, 0x3a, 0x2c, 0x5c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];
// The data, a list, a record and its content have known keys. Anything deeper can be any JSON.
const RECORD_DEPTH = 3;
const KNOWN_DEPTH = 4;

// Bytes of V8's heap on a 64-bit machine, measured where its layout does not tell.
const RECORD = 100; // with its entries in the service's look-ups
const KNOWN_OBJECT = 40;
const KNOWN_MEMBER = 8;
const FREE_OBJECT = 72;
const FREE_MEMBER = 128; // a unique key, in an object that became a hash table
const LIST = 48;
const ITEM = 32; // a number in a growing list
const STRING = 24;

/** @param bytes of a data file */
export function scanJson(bytes: Uint8Array): JsonScan {
  // One character outside Latin-1 makes a string twice as large.
  const width = isAscii(bytes) ? 1 : 2;
  let [held, depth, textStart] = [0, 0, -1];
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (textStart >= 0) {
      if (byte === BACKSLASH) index++;
      else if (byte === QUOTE) {
        // V8 stores equal short strings once.
        const length = index - textStart;
        if (length > 10) held += STRING + width * length;
        textStart = -1;
      }
      continue;
    }
    if (byte === QUOTE) textStart = index;
    else if (byte === COLON) held += depth > KNOWN_DEPTH ? FREE_MEMBER : KNOWN_MEMBER;
    else if (byte === COMMA) held += depth > KNOWN_DEPTH ? ITEM : 0;
    else if (byte === OPEN_BRACE) held += objectSize(++depth);
    else if (byte === OPEN_BRACKET) {
      held += LIST;
      depth++;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
  }
  return { peak: held + width * bytes.length, held };
}

function objectSize(depth: number): number {
  if (depth === RECORD_DEPTH) return RECORD;
  return depth > KNOWN_DEPTH ? FREE_OBJECT : KNOWN_OBJECT;
}
