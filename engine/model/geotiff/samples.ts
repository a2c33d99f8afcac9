/** A tile's samples in native form; bands are interleaved by pixel unless the file separates planes. */
export type Samples =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array
  | BigUint64Array
  | BigInt64Array;

/** How samples are stored: BitsPerSample, SampleFormat, Predictor and byte order of the TIFF. */
export interface SampleLayout {
  readonly bits: number;
  /** 1 unsigned, 2 signed, 3 floating point (TIFF 6.0, section 19). */
  readonly format: number;
  /** 1 none, 2 horizontal differencing, 3 floating point. */
  readonly predictor: number;
  readonly littleEndian: boolean;
}

/** Such as `uint16`. */
export function formatSampleType({ bits, format }: SampleLayout): string {
  return `${format === 3 ? 'float' : format === 2 ? 'int' : 'uint'}${bits}`;
}

/** Describes why these samples are not supported; undefined if they are. */
export function findUnsupported({ bits, format, predictor }: SampleLayout): string | undefined {
  const whole = [8, 16, 32, 64].includes(bits);
  const known =
    (format === 1 && ((bits >= 1 && bits <= 16) || whole)) ||
    (format === 2 && whole) ||
    (format === 3 && whole && bits > 8);
  if (!known) return `samples of ${bits} bits in format ${format}`;
  if (predictor === 1 || (predictor === 2 && whole) || (predictor === 3 && format === 3)) {
    return undefined;
  }
  return `predictor ${predictor} for samples of ${bits} bits in format ${format}`;
}

/** Bytes of `rows` rows of `perRow` samples; each row starts on a byte boundary. */
export function countStoredBytes(bits: number, perRow: number, rows: number): number {
  return Math.ceil((perRow * bits) / 8) * rows;
}

/** Bytes of a sample in native form. */
export function bytesPerSample({ bits, format }: SampleLayout): number {
  if (bits % 8 !== 0) return Uint16Array.BYTES_PER_ELEMENT;
  return format === 3 && bits === 16 ? Float32Array.BYTES_PER_ELEMENT : bits / 8;
}

/**
 * Decodes a tile's uncompressed bytes. May reuse their memory.
 *
 * @param stride samples from one value of a band to the next in a row
 */
export function decodeSamples(
  bytes: Uint8Array,
  layout: SampleLayout,
  perRow: number,
  rows: number,
  stride: number,
): Samples {
  const { bits, format, predictor, littleEndian } = layout;
  if (bits % 8 !== 0) return unpackBits(bytes, bits, perRow, rows);
  const sampleBytes = bits / 8;
  const aligned = alignBytes(bytes, sampleBytes);
  // Predictor 3 always stores the most significant bytes first (Adobe TIFF Technical Note 3).
  if (predictor === 3) undoFloatPredictor(aligned, sampleBytes, perRow, rows, stride);
  else if (!littleEndian) swapBytes(aligned, sampleBytes);
  if (predictor === 2)
    undoHorizontalDifferences(viewAsUnsigned(aligned, bits), perRow, rows, stride);
  return format === 3 && bits === 16
    ? decodeHalfFloats(aligned)
    : viewAsNumbers(aligned, bits, format);
}

/** Assumes that the machine is little-endian, as on Lambda. */
function swapBytes(bytes: Uint8Array, sampleBytes: number): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (sampleBytes === 2) buffer.swap16();
  else if (sampleBytes === 4) buffer.swap32();
  else if (sampleBytes === 8) buffer.swap64();
}

/** Copies bytes that are not aligned to the sample's size, because typed arrays require alignment. */
function alignBytes(bytes: Uint8Array, sampleBytes: number): Uint8Array {
  const usable = bytes.length - (bytes.length % sampleBytes);
  const whole = bytes.subarray(0, usable);
  // Not `slice`: on a Buffer it does not copy.
  return bytes.byteOffset % sampleBytes === 0 ? whole : new Uint8Array(whole);
}

function viewAsUnsigned(bytes: Uint8Array, bits: number): Samples {
  return viewAsNumbers(bytes, bits, 1);
}

function viewAsNumbers(
  { buffer, byteOffset, byteLength }: Uint8Array,
  bits: number,
  format: number,
) {
  const length = byteLength / (bits / 8);
  const key = `${format}/${bits}`;
  switch (key) {
    case '1/8':
      return new Uint8Array(buffer, byteOffset, length);
    case '1/16':
      return new Uint16Array(buffer, byteOffset, length);
    case '1/32':
      return new Uint32Array(buffer, byteOffset, length);
    case '1/64':
      return new BigUint64Array(buffer, byteOffset, length);
    case '2/8':
      return new Int8Array(buffer, byteOffset, length);
    case '2/16':
      return new Int16Array(buffer, byteOffset, length);
    case '2/32':
      return new Int32Array(buffer, byteOffset, length);
    case '2/64':
      return new BigInt64Array(buffer, byteOffset, length);
    case '3/32':
      return new Float32Array(buffer, byteOffset, length);
    case '3/64':
      return new Float64Array(buffer, byteOffset, length);
    default:
      throw new Error(`samples of ${bits} bits in format ${format} are not supported`);
  }
}

/** Predictor 2 (TIFF 6.0, section 14): stores the differences between neighbouring cells of a row. */
function undoHorizontalDifferences(
  samples: Samples,
  perRow: number,
  rows: number,
  stride: number,
): void {
  if (samples instanceof BigUint64Array || samples instanceof BigInt64Array) {
    for (let row = 0; row < rows; row += 1) {
      for (let i = row * perRow + stride; i < (row + 1) * perRow; i += 1) {
        samples[i] = (samples[i] ?? 0n) + (samples[i - stride] ?? 0n);
      }
    }
    return;
  }
  for (let row = 0; row < rows; row += 1) {
    for (let i = row * perRow + stride; i < (row + 1) * perRow; i += 1) {
      samples[i] = (samples[i] ?? 0) + (samples[i - stride] ?? 0);
    }
  }
}

/** Predictor 3 (Adobe TIFF Technical Note 3): differences of a row's bytes, most significant bytes first. */
function undoFloatPredictor(
  bytes: Uint8Array,
  sampleBytes: number,
  perRow: number,
  rows: number,
  stride: number,
): void {
  const rowBytes = perRow * sampleBytes;
  const planes = new Uint8Array(rowBytes);
  for (let row = 0; row < rows; row += 1) {
    const start = row * rowBytes;
    planes.set(bytes.subarray(start, start + rowBytes));
    if (stride > 1) {
      for (let i = stride; i < rowBytes; i += 1) {
        planes[i] = (planes[i] ?? 0) + (planes[i - stride] ?? 0);
      }
    }
    let sum = 0;
    let from = 0;
    for (let first = start + sampleBytes - 1; first >= start; first -= 1) {
      for (let to = first; to < start + rowBytes; to += sampleBytes, from += 1) {
        // The same pass sums the differences of a single band.
        sum = stride > 1 ? (planes[from] ?? 0) : (sum + (planes[from] ?? 0)) & 0xff;
        bytes[to] = sum;
      }
    }
  }
}

/** IEEE 754-2019, binary16: 1 bit sign, 5 exponent, 10 fraction. */
function decodeHalfFloats(bytes: Uint8Array): Float32Array {
  const halves = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
  return Float32Array.from(halves, (half) => {
    const sign = half & 0x8000 ? -1 : 1;
    const exponent = (half >> 10) & 0x1f;
    const fraction = half & 0x3ff;
    if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
    return exponent === 0
      ? sign * fraction * 2 ** -24
      : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  });
}

/** Samples that are not whole bytes are packed from the most significant bit (TIFF 6.0, FillOrder 1). */
function unpackBits(bytes: Uint8Array, bits: number, perRow: number, rows: number): Uint16Array {
  const samples = new Uint16Array(perRow * rows);
  const rowBytes = countStoredBytes(bits, perRow, 1);
  for (let row = 0; row < rows; row += 1) {
    let at = row * rowBytes;
    let held = 0;
    let left = 0;
    for (let i = row * perRow; i < (row + 1) * perRow; i += 1) {
      while (left < bits) {
        held = ((held << 8) | (bytes[at++] ?? 0)) & 0xff_ffff;
        left += 8;
      }
      left -= bits;
      samples[i] = (held >>> left) & ((1 << bits) - 1);
    }
  }
  return samples;
}
