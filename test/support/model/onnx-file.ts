import { PbfWriter } from 'pbf';

/** An attribute of an operator, by the AttributeProto field that holds it. */
export type AttributeValue =
  | { readonly int: number }
  | { readonly float: number }
  | { readonly text: string }
  | { readonly ints: readonly number[] }
  | { readonly floats: readonly number[] }
  | { readonly texts: readonly string[] }
  | { readonly float32: readonly number[] }
  | { readonly float64: readonly number[] }
  | { readonly uint8: readonly number[] };

export interface OperatorFile {
  readonly type: string;
  /** The version of the operator set `ai.onnx.ml`. */
  readonly opset: number;
  readonly double: boolean;
  readonly features: number;
  readonly targets: number;
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  readonly before?: readonly StepFile[];
  readonly after?: readonly StepFile[];
}

export interface StepFile {
  readonly type: string;
  readonly domain?: string;
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
  /** The inputs besides the value; null for an optional input that is left out. */
  readonly constants?: readonly (ConstantFile | null)[];
  /** The position of the value among the inputs. */
  readonly at?: number;
}

export interface ConstantFile {
  readonly values: readonly number[];
  /** The dimensions; by default the values form a row. */
  readonly dims?: readonly number[];
  readonly double?: boolean;
  /** Whether the values come from a Constant operator, and not from an initializer. */
  readonly byOperator?: boolean;
}

const FLOAT = 1;
const UINT8 = 2;
const DOUBLE = 11;

/**
 * Writes an ONNX file with one `ai.onnx.ml` operator and steps around it, X [N, features] to Y [N, targets]
 * (onnx.proto).
 */
export function onnxFile(file: OperatorFile): Uint8Array {
  const pbf = new PbfWriter();
  pbf.writeVarintField(1, file.opset >= 5 ? 10 : 8);
  pbf.writeMessage(7, writeGraph, file);
  writeOpset(pbf, '', file.opset >= 5 ? 21 : 15);
  writeOpset(pbf, 'ai.onnx.ml', file.opset);
  return pbf.finish();
}

function writeOpset(pbf: PbfWriter, domain: string, version: number): void {
  pbf.writeMessage(
    8,
    (_, message) => {
      message.writeStringField(1, domain);
      message.writeVarintField(2, version);
    },
    undefined,
  );
}

function writeGraph(file: OperatorFile, pbf: PbfWriter): void {
  const { type, attributes, before = [], after = [] } = file;
  const chain = [...before, { type, attributes, domain: 'ai.onnx.ml' }, ...after];
  const elements = file.double ? DOUBLE : FLOAT;
  let outputElements = elements;
  for (const [i, step] of chain.entries()) {
    const result = i === chain.length - 1 ? 'Y' : `v${i + 1}`;
    writeStep(pbf, step, i === 0 ? 'X' : `v${i}`, result);
    outputElements = elementsAfter(step, outputElements);
  }
  pbf.writeStringField(2, 'g');
  pbf.writeMessage(11, writeValue, { name: 'X', elements, columns: file.features });
  pbf.writeMessage(12, writeValue, { name: 'Y', elements: outputElements, columns: file.targets });
}

function elementsAfter({ type, attributes }: StepFile, elements: number): number {
  const to = attributes?.['to'];
  if (to && 'int' in to) return to.int;
  // Both operators return float32 for every input type.
  return type === 'TreeEnsembleRegressor' || type === 'Scaler' ? FLOAT : elements;
}

function writeStep(pbf: PbfWriter, step: StepFile, value: string, result: string): void {
  const inputs = (step.constants ?? []).map((constant, i) => {
    if (constant === null) return '';
    const name = `${result}.${i}`;
    if (constant.byOperator) {
      pbf.writeMessage(1, writeConstant, { ...constant, name });
    } else {
      pbf.writeMessage(5, writeInitializer, { ...constant, name });
    }
    return name;
  });
  inputs.splice(step.at ?? 0, 0, value);
  pbf.writeMessage(1, writeOperator, { ...step, inputs, result });
}

interface NamedConstant extends ConstantFile {
  readonly name: string;
}

function writeConstant(constant: NamedConstant, pbf: PbfWriter): void {
  pbf.writeStringField(2, constant.name);
  pbf.writeStringField(4, 'Constant');
  pbf.writeMessage(
    5,
    (_, attribute) => {
      attribute.writeStringField(1, 'value');
      attribute.writeVarintField(20, KIND.float32);
      attribute.writeMessage(5, writeInitializer, constant);
    },
    undefined,
  );
}

function writeInitializer({ name, values, dims, double }: NamedConstant, pbf: PbfWriter): void {
  pbf.writePackedVarint(1, [...(dims ?? [values.length])]);
  pbf.writeVarintField(2, double ? DOUBLE : FLOAT);
  const numbers = double ? Float64Array.from(values) : Float32Array.from(values);
  pbf.writeStringField(8, name);
  pbf.writeBytesField(9, new Uint8Array(numbers.buffer));
}

interface Value {
  readonly name: string;
  readonly elements: number;
  readonly columns: number;
}

function writeValue({ name, elements, columns }: Value, pbf: PbfWriter): void {
  pbf.writeStringField(1, name);
  pbf.writeMessage(
    2,
    (_, type) =>
      type.writeMessage(
        1,
        (_, tensor) => {
          tensor.writeVarintField(1, elements);
          tensor.writeMessage(
            2,
            (_, shape) => {
              shape.writeMessage(1, (_, rows) => rows.writeStringField(2, 'N'), undefined);
              shape.writeMessage(1, (_, dim) => dim.writeVarintField(1, columns), undefined);
            },
            undefined,
          );
        },
        undefined,
      ),
    undefined,
  );
}

interface Chained extends StepFile {
  readonly inputs: readonly string[];
  readonly result: string;
}

function writeOperator(operator: Chained, pbf: PbfWriter): void {
  const { type, attributes = {}, domain = '', inputs, result } = operator;
  for (const input of inputs) pbf.writeStringField(1, input);
  pbf.writeStringField(2, result);
  pbf.writeStringField(4, type);
  for (const [name, value] of Object.entries(attributes)) {
    pbf.writeMessage(5, writeAttribute, { name, value });
  }
  pbf.writeStringField(7, domain);
}

/** The numbers of AttributeProto.AttributeType. */
const KIND = {
  float32: 4,
  float64: 4,
  uint8: 4,
  float: 1,
  int: 2,
  text: 3,
  floats: 6,
  ints: 7,
  texts: 8,
};

function writeAttribute(
  { name, value }: { readonly name: string; readonly value: AttributeValue },
  pbf: PbfWriter,
): void {
  pbf.writeStringField(1, name);
  const [kind] = Object.keys(value) as (keyof typeof KIND)[];
  if (kind !== undefined) {
    pbf.writeVarintField(20, KIND[kind]);
  }
  if ('int' in value) {
    pbf.writeTag(3, 0);
    pbf.writeVarint(value.int);
  } else if ('float' in value) {
    pbf.writeFloatField(2, value.float);
  } else if ('text' in value) {
    pbf.writeStringField(4, value.text);
  } else if ('ints' in value) {
    for (const number of value.ints) {
      pbf.writeTag(8, 0);
      pbf.writeVarint(number);
    }
  } else if ('floats' in value) {
    pbf.writePackedFloat(7, [...value.floats]);
  } else if ('texts' in value) {
    for (const text of value.texts) {
      pbf.writeStringField(9, text);
    }
  } else {
    pbf.writeMessage(5, writeTensor, value);
  }
}

function writeTensor(value: AttributeValue, pbf: PbfWriter): void {
  if ('float32' in value) {
    pbf.writeVarintField(1, value.float32.length);
    pbf.writeVarintField(2, FLOAT);
    pbf.writeBytesField(9, new Uint8Array(Float32Array.from(value.float32).buffer));
  } else if ('float64' in value) {
    pbf.writeVarintField(1, value.float64.length);
    pbf.writeVarintField(2, DOUBLE);
    pbf.writePackedDouble(10, [...value.float64]);
  } else if ('uint8' in value) {
    pbf.writeVarintField(1, value.uint8.length);
    pbf.writeVarintField(2, UINT8);
    pbf.writeBytesField(9, Uint8Array.from(value.uint8));
  }
}
