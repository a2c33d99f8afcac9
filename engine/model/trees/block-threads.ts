import { Worker } from 'node:worker_threads';
import type { BlockMemory } from './block-memory.ts';
import { KERNELS_BINARY } from './kernels-binary.ts';

/** Predicts the first `count` points in the memory. */
export type PredictBlocks = (count: number) => Promise<void>;

/**
 * The worker's code: predicts blocks of points until none is left. It is a string, so that the bundle needs no
 * further file. It works both as a script and as a module, because Node's flags decide which of them it is.
 */
const THREAD = `
import('node:worker_threads').then(({ parentPort, workerData }) => {
  const { module, memory, kernel, call, scratch, next } = workerData;
  const predictBlock = new WebAssembly.Instance(module, { env: { memory } }).exports[kernel];
  const taken = new Int32Array(memory.buffer, next, 1);
  parentPort.on('message', ({ count, block }) => {
    let from = Atomics.add(taken, 0, block);
    while (from < count) {
      predictBlock(call, scratch, from, Math.min(block, count - from));
      from = Atomics.add(taken, 0, block);
    }
    parentPort.postMessage('done');
  });
});
`;

/** Uses the calling thread, and a worker for each further scratch memory. */
export function createBlockThreads(blockMemory: BlockMemory): PredictBlocks {
  const module = new WebAssembly.Module(Buffer.from(KERNELS_BINARY, 'base64'));
  const { call, next } = blockMemory;
  const predictBlock = instantiateKernel(module, blockMemory);
  const [ownScratch = 0, ...scratches] = blockMemory.scratch;
  const workers = scratches.map((scratch) => startWorker(module, blockMemory, scratch));

  return async (count) => {
    const { block } = blockMemory;
    Atomics.store(next, 0, 0);
    const helping = count > block ? workers : [];
    const others = helping.map((worker) => waitForWorker(worker, { count, block }));
    for (let from = takeBlock(next, block); from < count; from = takeBlock(next, block)) {
      predictBlock(call, ownScratch, from, Math.min(block, count - from));
    }
    await Promise.all(others);
  };
}

type PredictBlock = (call: number, scratch: number, from: number, count: number) => void;

function instantiateKernel(
  module: WebAssembly.Module,
  { memory, kernel }: BlockMemory,
): PredictBlock {
  const predictBlock = new WebAssembly.Instance(module, { env: { memory } }).exports[kernel];
  if (typeof predictBlock !== 'function') {
    throw new Error(`kernels-binary.ts does not export ${kernel}`);
  }
  return (call, scratch, from, count) => predictBlock(call, scratch, from, count);
}

function startWorker(
  module: WebAssembly.Module,
  blockMemory: BlockMemory,
  scratch: number,
): Worker {
  const { memory, kernel, call, next } = blockMemory;
  const workerData = { module, memory, kernel, call, scratch, next: next.byteOffset };
  const worker = new Worker(THREAD, { eval: true, execArgv: [], workerData });
  // Idle threads do not keep a process alive.
  worker.unref();
  return worker;
}

function takeBlock(next: Int32Array, block: number): number {
  return Atomics.add(next, 0, block);
}

function waitForWorker(worker: Worker, work: { count: number; block: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (outcome: () => void) => {
      worker.off('message', done);
      worker.off('error', failed);
      worker.unref();
      outcome();
    };
    const done = () => settle(resolve);
    const failed = (error: Error) => settle(() => reject(error));
    worker.once('message', done);
    worker.once('error', failed);
    worker.ref();
    worker.postMessage(work);
  });
}
