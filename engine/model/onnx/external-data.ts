import { readMessage, readSection } from './protobuf.ts';

type Message =
  | 'model'
  | 'training'
  | 'graph'
  | 'function'
  | 'node'
  | 'attribute'
  | 'sparse tensor'
  | 'tensor';

/** The fields of each message that lead to tensors, by their numbers (onnx.proto). */
const PARTS: Readonly<Record<Message, ReadonlyMap<number, Message>>> = {
  model: new Map([
    [7, 'graph'],
    [20, 'training'],
    [25, 'function'],
  ]),
  training: new Map([
    [1, 'graph'],
    [2, 'graph'],
  ]),
  graph: new Map([
    [1, 'node'],
    [5, 'tensor'],
    [15, 'sparse tensor'],
  ]),
  function: new Map([
    [7, 'node'],
    [11, 'attribute'],
  ]),
  node: new Map([[5, 'attribute']]),
  attribute: new Map([
    [5, 'tensor'],
    [6, 'graph'],
    [10, 'tensor'],
    [11, 'graph'],
    [22, 'sparse tensor'],
    [23, 'sparse tensor'],
  ]),
  'sparse tensor': new Map([
    [1, 'tensor'],
    [2, 'tensor'],
  ]),
  tensor: new Map(),
};

/** Fields of TensorProto. A location other than 0 is another file. */
const EXTERNAL_DATA = 13;
const DATA_LOCATION = 14;

/**
 * Whether a tensor has its values in another file. ONNX Runtime would read whatever file the tensor names in the
 * current folder.
 *
 * @param model an ONNX file
 * @throws ModelInvalid
 */
export function hasExternalData(model: Uint8Array): boolean {
  const open: { readonly message: Message; readonly bytes: Uint8Array }[] = [
    { message: 'model', bytes: model },
  ];
  let isExternal = false;
  for (let next = open.pop(); next !== undefined && !isExternal; next = open.pop()) {
    const { message, bytes } = next;
    readMessage(bytes, (field, reader) => {
      const part = PARTS[message].get(field);
      if (part !== undefined) open.push({ message: part, bytes: readSection(reader) });
      if (message !== 'tensor') return;
      if (field === EXTERNAL_DATA) isExternal = true;
      if (field === DATA_LOCATION && reader.readVarint() !== 0) isExternal = true;
    });
  }
  return isExternal;
}
