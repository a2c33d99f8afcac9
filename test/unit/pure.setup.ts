import { ChildProcess } from 'node:child_process';
import { Server, Socket } from 'node:net';

/**
 * Unit tests run on any machine: tests that need more than this process are in `test/integration`.
 */
function refuse(what: string): () => never {
  return () => {
    throw new Error(`a unit test ${what}; move it to test/integration`);
  };
}

Object.assign(Socket.prototype, { connect: refuse('opens a connection') });
Object.assign(Server.prototype, { listen: refuse('listens on a port') });
Object.assign(ChildProcess.prototype, { spawn: refuse('starts a process') });

const { dlopen } = process;
const dlopenWithoutOnnxRuntime = (module: object, file: string, ...rest: readonly number[]) => {
  if (file.includes('onnxruntime')) refuse('loads ONNX Runtime')();
  return Reflect.apply(dlopen, process, [module, file, ...rest]);
};
// Test files of a worker share its process, and this code runs before each of them.
if (dlopen.name !== dlopenWithoutOnnxRuntime.name)
  Object.assign(process, { dlopen: dlopenWithoutOnnxRuntime });
