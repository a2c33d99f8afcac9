import { type Attribute, readAttribute } from './attribute.ts';
import { GraphNotSupported, ModelInvalid } from './errors.ts';
import { readMessage, readSection, readText } from './protobuf.ts';

/** One operator of a graph (onnx.proto, NodeProto). */
export interface Operator {
  readonly domain: string;
  readonly type: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: ReadonlyMap<string, Attribute>;
}

export interface Graph {
  /** In topological order, as ONNX requires; without constants. */
  readonly operators: readonly Operator[];
  readonly input: Input;
  readonly output: string;
  /** Undecoded TensorProtos for `readTensor`: initializers and the values of Constant operators. */
  readonly constants: ReadonlyMap<string, Uint8Array>;
}

interface Input {
  readonly name: string;
  /** TensorProto.DataType */
  readonly elementType: number;
}

interface Model {
  readonly graph: Uint8Array | undefined;
  /** Domains of the imported operator sets; ONNX requires the domain of every operator among them. */
  readonly domains: ReadonlySet<string>;
}

/**
 * @param bytes an ONNX ModelProto
 * @throws ModelInvalid if it is not a valid one, GraphNotSupported unless it has one input and one
 * output
 */
export function readGraph(bytes: Uint8Array): Graph {
  const { graph, domains } = readModel(bytes);
  if (!graph) {
    throw new ModelInvalid('it has no graph: not an ONNX model');
  }
  const { operators, inputs, outputs, constants } = readGraphParts(graph);
  const foreign = operators.find(({ domain }) => !domains.has(domain));
  if (foreign) {
    throw new ModelInvalid(`it does not import the operator set "${foreign.domain}"`);
  }
  return {
    operators,
    // Initializers may be listed as inputs.
    input: requireOne(
      'inputs',
      inputs.filter(({ name }) => !constants.has(name)),
    ),
    output: requireOne('outputs', outputs),
    constants,
  };
}

function requireOne<T>(kind: string, values: readonly T[]): T {
  const [value] = values;
  if (value === undefined || values.length > 1) {
    throw new GraphNotSupported('graph', `has ${values.length} ${kind}, expected 1`);
  }
  return value;
}

export function formatOperatorName({ domain, type }: Operator): string {
  return domain === '' ? type : `${domain}.${type}`;
}

/** ModelProto: 7 graph, 8 opset_import, whose field 1 is the domain. */
function readModel(bytes: Uint8Array): Model {
  let graph: Uint8Array | undefined;
  const domains = new Set<string>();
  readMessage(bytes, (tag, reader) => {
    if (tag === 7) {
      graph = readSection(reader);
    } else if (tag === 8) {
      domains.add(normaliseDomain(readName(readSection(reader), 1)));
    }
  });
  return { graph, domains };
}

/** The domain of ONNX's own operators has two names. */
function normaliseDomain(name: string): string {
  return name === 'ai.onnx' ? '' : name;
}

/** GraphProto: 1 node, 5 initializer, 11 input, 12 output. */
function readGraphParts(graph: Uint8Array) {
  const operators: Operator[] = [];
  const inputs: Input[] = [];
  const outputs: string[] = [];
  const constants = new Map<string, Uint8Array>();
  readMessage(graph, (tag, reader) => {
    if (tag === 1) {
      const operator = readOperator(readSection(reader));
      const value = operator.attributes.get('value')?.tensor;
      if (formatOperatorName(operator) === 'Constant' && value)
        constants.set(operator.outputs[0] ?? '', value);
      else operators.push(operator);
    } else if (tag === 5) {
      const tensor = readSection(reader);
      constants.set(readName(tensor, 8), tensor);
    } else if (tag === 11) {
      inputs.push(readInput(readSection(reader)));
    } else if (tag === 12) {
      outputs.push(readName(readSection(reader), 1));
    }
  });
  return { operators, inputs, outputs, constants };
}

/** NodeProto: 1 input, 2 output, 4 op_type, 5 attribute, 7 domain. */
function readOperator(bytes: Uint8Array): Operator {
  let domain = '';
  let type = '';
  const inputs: string[] = [];
  const outputs: string[] = [];
  const attributes = new Map<string, Attribute>();
  readMessage(bytes, (tag, reader) => {
    if (tag === 1) {
      inputs.push(readText(reader));
    } else if (tag === 2) {
      outputs.push(readText(reader));
    } else if (tag === 4) {
      type = readText(reader);
    } else if (tag === 5) {
      const attribute = readAttribute(readSection(reader));
      attributes.set(attribute.name, attribute);
    } else if (tag === 7) {
      domain = normaliseDomain(readText(reader));
    }
  });
  return { domain, type, inputs, outputs, attributes };
}

/** ValueInfoProto: 1 name, 2 type; TypeProto: 1 tensor_type; TypeProto.Tensor: 1 elem_type. */
function readInput(bytes: Uint8Array): Input {
  let elementType = 0;
  readMessage(bytes, (tag, reader) => {
    if (tag !== 2) return;
    readMessage(readSection(reader), (ofType, type) => {
      if (ofType !== 1) return;
      readMessage(readSection(type), (ofTensor, tensor) => {
        if (ofTensor === 1) elementType = tensor.readVarint();
      });
    });
  });
  return { name: readName(bytes, 1), elementType };
}

/** The name in a ValueInfoProto or an OperatorSetIdProto (field 1) or a TensorProto (field 8). */
function readName(bytes: Uint8Array, nameField: number): string {
  let name = '';
  readMessage(bytes, (tag, reader) => {
    if (tag === nameField) {
      name = readText(reader);
    }
  });
  return name;
}
