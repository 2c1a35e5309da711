import type { EnvironmentRecord } from "../domain/environment.js";
import {
  fromTransferable,
  type PackedData,
  type PackedList,
  type PackedValues,
  type PackedVariables,
} from "../store/packed-data.js";

// Data as it is sent to another process: an outline, and the content of its arrays in pieces.

type PackedArray = Float64Array | Uint32Array | Uint8Array;

/** A list of the packed data, with the type and length of each array in its place. */
type ListOutline = Readonly<Record<string, string | readonly [type: keyof typeof ARRAYS, length: number]>>;

export interface Outline {
  readonly environments: readonly EnvironmentRecord[];
  readonly variables: ReadonlyMap<string, ListOutline>;
  readonly values: ReadonlyMap<number, ListOutline>;
}

/** A part of an array. The arrays are numbered in the order of the outline. */
export interface Part {
  readonly array: number;
  /** In bytes. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}

const ARRAYS = { Float64Array, Uint32Array, Uint8Array } as const;

/** The outline of the data, and the bytes of its arrays. */
export function disassemble(data: PackedData): { outline: Outline; arrays: Uint8Array[] } {
  const { environments } = data;
  const arrays: Uint8Array[] = [];
  const outline = (list: PackedList): ListOutline =>
    Object.fromEntries(
      Object.entries(list).map(([name, item]: [string, PackedArray | string]) => {
        if (typeof item === "string") return [name, item];
        arrays.push(bytesOf(item));
        return [name, [item.constructor.name, item.length]];
      }),
    );
  const applications = new Set(environments.map(({ application }) => application));
  const variables = new Map([...applications].map((name) => [name, outline(data.variables(name))]));
  const values = new Map(environments.map(({ id }) => [id, outline(data.values(id))]));
  return { outline: { environments, variables, values }, arrays };
}

/** Parts of the arrays, in groups of at most so many bytes. */
export function* splitArrays(arrays: readonly Uint8Array[], size: number): Generator<Part[]> {
  let group: Part[] = [];
  let left = size;
  for (const [array, bytes] of arrays.entries()) {
    for (let offset = 0; offset < bytes.length; ) {
      const part = { array, offset, bytes: bytes.subarray(offset, offset + left) };
      group.push(part);
      offset += part.bytes.length;
      left -= part.bytes.length;
      if (left > 0) continue;
      yield group;
      [group, left] = [[], size];
    }
  }
  if (group.length > 0) yield group;
}

/** Puts data together in another process. */
export class Assembly {
  readonly #outline: Outline;
  readonly #variables: Map<string, PackedVariables>;
  readonly #values: Map<number, PackedValues>;
  readonly #arrays: Uint8Array[] = [];

  constructor(outline: Outline) {
    this.#outline = outline;
    this.#variables = new Map([...outline.variables].map(([name, list]) => [name, this.#allocate(list)]));
    this.#values = new Map([...outline.values].map(([id, list]) => [id, this.#allocate(list)]));
  }

  add(parts: readonly Part[]): void {
    for (const { array, offset, bytes } of parts) this.#arrays[array]?.set(bytes, offset);
  }

  /** The data, once all parts have been added. */
  get data(): PackedData {
    const { environments } = this.#outline;
    return fromTransferable({ environments, variables: this.#variables, values: this.#values });
  }

  #allocate<List extends PackedList>(outline: ListOutline): List {
    const items = Object.entries(outline).map(([name, item]) => {
      if (typeof item === "string") return [name, item];
      const [type, length] = item;
      const array = new ARRAYS[type](length);
      this.#arrays.push(bytesOf(array));
      return [name, array];
    });
    return Object.fromEntries(items);
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: PackedArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
