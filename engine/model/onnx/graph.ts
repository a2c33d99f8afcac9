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

interface Graph {
  readonly operators: readonly Operator[];
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

interface Model {
  readonly graph: Graph;
  /** Domains of the imported operator sets; ONNX requires that of every operator. */
  readonly domains: ReadonlySet<string>;
}

/** TensorProto.DataType FLOAT and DOUBLE: both represent a float32 exactly. */
const FLOATS: ReadonlySet<number | undefined> = new Set([1, 11]);

/**
 * Finds the single operator that maps features to targets. Before and after it there may be an
 * Identity or a Cast to a float, as converters write them.
 *
 * @param bytes an ONNX ModelProto
 * Throws {@link ModelInvalid} if it is not one, {@link GraphNotSupported} if there are more operators.
 */
export function readSingleOperator(bytes: Uint8Array): Operator {
  const { graph, domains } = readModel(bytes);
  const { operators, inputs, outputs } = graph;
  const [input] = inputs;
  const [output] = outputs;
  if (input === undefined || inputs.length > 1) {
    throw new GraphNotSupported('graph', `has ${inputs.length} inputs, expected 1`);
  }
  if (output === undefined || outputs.length > 1) {
    throw new GraphNotSupported('graph', `has ${outputs.length} outputs, expected 1`);
  }
  const working = operators.filter((operator) => !passesThrough(operator));
  const [single, second] = working;
  if (!single) {
    throw new GraphNotSupported('graph', 'has no operator that predicts');
  }
  if (second) {
    const other = working.find(({ domain }) => domain !== 'ai.onnx.ml') ?? second;
    throw new GraphNotSupported(nameOf(other), 'more than one operator');
  }
  requireChain(operators, input, output);
  if (!domains.has(single.domain)) {
    throw new ModelInvalid(`it does not import the operator set "${single.domain}"`);
  }
  return single;
}

export function nameOf({ domain, type }: Operator): string {
  return domain === '' ? type : `${domain}.${type}`;
}

function passesThrough({ domain, type, attributes }: Operator): boolean {
  const core = domain === '' || domain === 'ai.onnx';
  const exact = type === 'Cast' && FLOATS.has(attributes.get('to')?.int);
  return core && (type === 'Identity' || exact);
}

/** ONNX lists operators in topological order, so one pass from input to output sees the chain. */
function requireChain(operators: readonly Operator[], input: string, output: string): void {
  let value = input;
  for (const operator of operators) {
    const [next] = operator.outputs;
    if (operator.inputs.length !== 1 || operator.inputs[0] !== value || next === undefined) {
      throw new GraphNotSupported(nameOf(operator), 'the graph is not a single chain of operators');
    }
    value = next;
  }
  if (value !== output) {
    throw new ModelInvalid(`no operator produces the graph's output "${output}"`);
  }
}

/** ModelProto: 7 graph, 8 opset_import, whose field 1 is the domain. */
function readModel(bytes: Uint8Array): Model {
  let graph: Graph | undefined;
  const domains = new Set<string>();
  readMessage(bytes, (tag, reader) => {
    if (tag === 7) {
      graph = readGraph(readSection(reader));
    } else if (tag === 8) {
      domains.add(readName(readSection(reader), 1));
    }
  });
  if (!graph) {
    throw new ModelInvalid('it has no graph: not an ONNX model');
  }
  return { graph, domains };
}

/** GraphProto: 1 node, 5 initializer, 11 input, 12 output. Initializers may be listed as inputs. */
function readGraph(bytes: Uint8Array): Graph {
  const operators: Operator[] = [];
  const inputs: string[] = [];
  const outputs: string[] = [];
  const constants = new Set<string>();
  readMessage(bytes, (tag, reader) => {
    if (tag === 1) {
      operators.push(readOperator(readSection(reader)));
    } else if (tag === 5) {
      constants.add(readName(readSection(reader), 8));
    } else if (tag === 11) {
      inputs.push(readName(readSection(reader), 1));
    } else if (tag === 12) {
      outputs.push(readName(readSection(reader), 1));
    }
  });
  return { operators, inputs: inputs.filter((name) => !constants.has(name)), outputs };
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
      domain = readText(reader);
    }
  });
  return { domain, type, inputs, outputs, attributes };
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
