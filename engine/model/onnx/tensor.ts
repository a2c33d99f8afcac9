import { PbfReader } from 'pbf';
import { GraphNotSupported, ModelInvalid } from './errors.ts';
import { isPacked, readMessage, readSection } from './protobuf.ts';

/** Field numbers of TensorProto (onnx.proto). */
const field = { dims: 1, type: 2, floats: 4, ints: 5, raw: 9, doubles: 10, location: 14 } as const;

/** Numbers of TensorProto.DataType. */
export const FLOAT = 1;
const UINT8 = 2;
export const DOUBLE = 11;

/** Maps TensorProto.DataType to the field with the values, and to the size in bytes of a value in `raw_data`. */
const TYPES: ReadonlyMap<number, { readonly list: number; readonly bytes: number }> = new Map([
  [FLOAT, { list: field.floats, bytes: 4 }],
  [UINT8, { list: field.ints, bytes: 1 }],
  [DOUBLE, { list: field.doubles, bytes: 8 }],
]);

export interface Tensor {
  /** TensorProto.DataType */
  readonly type: number;
  readonly dims: readonly number[];
  readonly values: Float64Array;
}

/**
 * Reads a tensor of float32, float64 or uint8, the types that tree ensembles use.
 * @throws GraphNotSupported for other types, ModelInvalid if the number of values does not match
 * the dimensions
 */
export function readTensor(bytes: Uint8Array): Tensor {
  let type = 0;
  const dims: number[] = [];
  const sections = new Map<number, Uint8Array[]>();
  const single: { list: number; value: number }[] = [];

  readMessage(bytes, (tag, reader) => {
    switch (tag) {
      case field.dims:
        forEachVarint(reader, (size) => dims.push(size));
        break;
      case field.type:
        type = reader.readVarint();
        break;
      case field.location:
        throw new GraphNotSupported('tensor', 'its values are in an external file');
      case field.raw:
        keepSection(sections, tag, readSection(reader));
        break;
      case field.floats:
      case field.doubles:
      case field.ints:
        if (isPacked(reader)) {
          keepSection(sections, tag, readSection(reader));
        } else {
          single.push({ list: tag, value: readElement(tag, reader) });
        }
        break;
    }
  });

  const kind = TYPES.get(type);
  if (!kind) {
    throw new GraphNotSupported(
      'tensor',
      `data type ${type}; supported are float32, float64 and uint8`,
    );
  }
  const raw = sections.get(field.raw) ?? [];
  const values = [
    ...raw.map((part) => decodeFixed(part, type, kind.bytes)),
    ...(sections.get(kind.list) ?? []).map((part) =>
      type === UINT8 ? decodeVarints(part) : decodeFixed(part, type, kind.bytes),
    ),
    Float64Array.from(single.filter(({ list }) => list === kind.list).map(({ value }) => value)),
  ];
  const length = dims.reduce((product, size) => product * size, 1);
  const found = values.reduce((sum, part) => sum + part.length, 0);
  if (found !== length) {
    throw new ModelInvalid(`a tensor has ${found} values, expected ${length} by its dimensions`);
  }
  return { type, dims, values: concatenate(values, found) };
}

function keepSection(sections: Map<number, Uint8Array[]>, tag: number, part: Uint8Array): void {
  const parts = sections.get(tag) ?? [];
  parts.push(part);
  sections.set(tag, parts);
}

function readElement(list: number, reader: PbfReader): number {
  if (list === field.ints) {
    return reader.readVarint(true);
  }
  return list === field.floats ? reader.readFloat() : reader.readDouble();
}

function decodeFixed(part: Uint8Array, type: number, bytes: number): Float64Array {
  if (part.length % bytes !== 0) {
    throw new ModelInvalid('a tensor ends inside a number');
  }
  // A copy is aligned for any width. Assumes a little-endian machine, as on Lambda.
  const { buffer } = new Uint8Array(part);
  if (type === UINT8) {
    return new Float64Array(new Uint8Array(buffer));
  }
  return new Float64Array(bytes === 4 ? new Float32Array(buffer) : new Float64Array(buffer));
}

function decodeVarints(part: Uint8Array): Float64Array {
  const reader = new PbfReader(part);
  const values: number[] = [];
  while (reader.pos < reader.length) {
    values.push(reader.readVarint(true));
  }
  return Float64Array.from(values);
}

function forEachVarint(reader: PbfReader, use: (value: number) => void): void {
  if (isPacked(reader)) {
    decodeVarints(readSection(reader)).forEach(use);
  } else {
    use(reader.readVarint(true));
  }
}

function concatenate(parts: readonly Float64Array[], length: number): Float64Array {
  const [only] = parts.filter((part) => part.length > 0);
  if (only?.length === length) {
    return only;
  }
  const whole = new Float64Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
