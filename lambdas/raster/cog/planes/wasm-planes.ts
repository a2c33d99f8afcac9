import { END_OF_BLOCK, LENGTH_SYMBOLS, SYMBOLS } from './alphabet.ts';
import { ENTRIES } from './block-code.ts';
import { PLANES_BINARY } from './planes-binary.ts';
import {
  type BlockPlan,
  KINDS,
  PLANES,
  type PlanesShape,
  type Tally,
  type TilePlanes,
  ZLIB_CHECKSUM_BYTES,
  ZLIB_HEADER,
} from './tile-planes.ts';

/** A kind's counts: of bytes in four parts, then of the lengths of runs; 32-bit numbers. */
const COUNTS = 4 * 256 + 32;
/** A code: entries, end of block, bits of the header, and the header (at most 2,100 bits). */
const CODE_BYTES = (ENTRIES + 2) * 4 + 512;
/** The loops touch whole words. */
const SPARE_BYTES = 16;
const PAGE_BYTES = 64 * 1024;

/** `planes.wat` over a memory of its own, made once: nothing is left behind from tile to tile. */
export function wasmPlanes({ rows, rowSamples, bands }: PlanesShape): TilePlanes {
  const planes = rows * PLANES;
  const rowBytes = rowSamples * PLANES;
  const tileBytes = rows * rowBytes;
  const room = rooms();
  const lengthSymbols = room(LENGTH_SYMBOLS.length);
  const counts = room(KINDS * COUNTS * 4);
  const codeOfKind = room(KINDS);
  const codes = room(KINDS * CODE_BYTES);
  const kinds = room(planes);
  room(bands * 4);
  const words = room(rowBytes);
  const bytes = room(tileBytes);
  const out = room(mostStreamBytes(tileBytes));
  const pages = Math.ceil(room(0) / PAGE_BYTES);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const kernel = kernelOn(memory);
  const all = new Uint8Array(memory.buffer);
  const view = new DataView(memory.buffer);
  const counters = new Uint32Array(memory.buffer, counts, KINDS * COUNTS);
  all.set(
    LENGTH_SYMBOLS.map(({ symbol }) => symbol - END_OF_BLOCK - 1),
    lengthSymbols,
  );

  return {
    row: new Float32Array(memory.buffer, words, rowSamples),
    predict: (y) => kernel.predict(words, rowSamples, bands, bytes + y * rowBytes),
    repeat: (y) => {
      all.copyWithin(bytes + y * rowBytes, bytes + (y - 1) * rowBytes, bytes + y * rowBytes);
    },
    tally(): Tally {
      counters.fill(0);
      kernel.tally(bytes, rowSamples, kinds, planes, counts, COUNTS * 4, lengthSymbols);
      return {
        kinds: all.subarray(kinds, kinds + planes),
        counts: Array.from({ length: KINDS }, (_, kind) =>
          symbolCounts(counters.subarray(kind * COUNTS, (kind + 1) * COUNTS)),
        ),
      };
    },
    write(plan): Uint8Array {
      layCodes(plan, all, view, { codeOfKind, codes });
      all.set(plan.kinds, kinds);
      all.set(ZLIB_HEADER, out);
      const start = out + ZLIB_HEADER.length;
      const end = kernel.write(
        bytes,
        rowSamples,
        kinds,
        planes,
        codeOfKind,
        codes,
        CODE_BYTES,
        start,
      );
      view.setInt32(end, kernel.adler32(bytes, tileBytes));
      return all.subarray(out, end + ZLIB_CHECKSUM_BYTES);
    },
  };
}

/** Gives one place after another. */
function rooms(): (length: number) => number {
  let end = SPARE_BYTES;
  return (length) => {
    const at = end;
    end = Math.ceil((at + length + SPARE_BYTES) / SPARE_BYTES) * SPARE_BYTES;
    return at;
  };
}

/** Plans are never longer than a tile that is stored: 5 bytes in 65,535; header, checksum, last block. */
function mostStreamBytes(tileBytes: number): number {
  return tileBytes + Math.ceil(tileBytes / 65_535) * 12 + 16;
}

function symbolCounts(counters: Uint32Array): Uint32Array {
  const counts = new Uint32Array(SYMBOLS);
  for (let byte = 0; byte < 256; byte += 1) {
    for (let part = 0; part < 4; part += 1) {
      counts[byte] = (counts[byte] ?? 0) + (counters[part * 256 + byte] ?? 0);
    }
  }
  counts.set(counters.subarray(4 * 256, 4 * 256 + SYMBOLS - END_OF_BLOCK - 1), END_OF_BLOCK + 1);
  return counts;
}

function layCodes(
  plan: BlockPlan,
  all: Uint8Array,
  view: DataView,
  at: { readonly codeOfKind: number; readonly codes: number },
): void {
  all.set(plan.codeOfKind, at.codeOfKind);
  for (const [number, { entries, endOfBlock, header }] of plan.codes.entries()) {
    const code = at.codes + number * CODE_BYTES;
    new Uint32Array(view.buffer, code, ENTRIES).set(entries);
    view.setUint32(code + ENTRIES * 4, endOfBlock, true);
    view.setUint32(code + ENTRIES * 4 + 4, header.bits, true);
    all.set(header.bytes, code + ENTRIES * 4 + 8);
  }
}

interface Kernel {
  readonly predict: (words: number, samples: number, bands: number, out: number) => void;
  readonly tally: (
    bytes: number,
    planeBytes: number,
    kinds: number,
    planes: number,
    counts: number,
    countsBytes: number,
    lengthSymbols: number,
  ) => void;
  readonly write: (
    bytes: number,
    planeBytes: number,
    kinds: number,
    planes: number,
    codeOfKind: number,
    codes: number,
    codeBytes: number,
    out: number,
  ) => number;
  readonly adler32: (bytes: number, length: number) => number;
}

let compiled: WebAssembly.Module | undefined;

function kernelOn(memory: WebAssembly.Memory): Kernel {
  compiled ??= new WebAssembly.Module(Buffer.from(PLANES_BINARY, 'base64'));
  const { exports } = new WebAssembly.Instance(compiled, { tile: { memory } });
  return exports as unknown as Kernel;
}
