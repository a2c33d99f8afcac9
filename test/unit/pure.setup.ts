import { ChildProcess } from 'node:child_process';
import { Server, Socket } from 'node:net';

/** Unit tests run on any machine in a minute: what needs more than this process is in `test/integration`. */
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
// The files of a worker share its process, and this runs before each.
if (dlopen.name !== dlopenWithoutOnnxRuntime.name)
  Object.assign(process, { dlopen: dlopenWithoutOnnxRuntime });
