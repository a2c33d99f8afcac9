import { TEXTS } from '../texts.ts';
import {
  type Choice,
  type FileFault,
  type FileFields,
  FileQuestion,
  FileRejected,
  type MissingInformation,
} from './file-fields.ts';

export interface ReadTask {
  readonly file: File;
  readonly choice: Choice;
}

export type ReaderMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'read'; readonly read: FileFields }
  | { readonly kind: 'rejected'; readonly fault: FileFault; readonly message: string }
  | { readonly kind: 'question'; readonly message: string; readonly question: MissingInformation }
  | { readonly kind: 'failed' };

export const ACCEPTED = '.geojson,.json,.gpkg,.kml,.kmz,.zip';

const MOST_SECONDS = 30;

/**
 * Reads a file in a separate worker, which is terminated if it takes too long: an archive may be a bomb, and some
 * geometry takes very long.
 * @throws FileRejected; FileQuestion if the user can supply what the file lacks
 */
export async function readInWorker(task: ReadTask, signal: AbortSignal): Promise<FileFields> {
  const worker = new Worker(readScriptUrl(), { type: 'module' });
  const { promise, resolve, reject } = makeDeferred<FileFields>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const { name } = task.file;
  worker.addEventListener('message', ({ data }: MessageEvent<ReaderMessage>) => {
    switch (data.kind) {
      case 'ready':
        // Time spent loading the script over a slow network does not count.
        timer = setTimeout(
          () => reject(new FileRejected('too_large', TEXTS.file.slow(name, MOST_SECONDS))),
          MOST_SECONDS * 1_000,
        );
        return worker.postMessage(task);
      case 'read':
        return resolve(data.read);
      case 'rejected':
        return reject(new FileRejected(data.fault, data.message));
      case 'question':
        return reject(new FileQuestion(data.message, data.question));
      case 'failed':
        return reject(new FileRejected('damaged', TEXTS.file.damaged(name)));
    }
  });
  worker.addEventListener('error', () =>
    reject(new FileRejected('not_read', TEXTS.file.unread(name))),
  );
  signal.addEventListener('abort', () => reject(signal.reason));
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    worker.terminate();
  }
}

/** The page names the worker's script, because its file name contains a hash. */
function readScriptUrl(): URL {
  const name = document.querySelector<HTMLMetaElement>('meta[name="reader"]')?.content ?? '';
  return new URL(name, document.baseURI);
}

/** Stands in for `Promise.withResolvers`, which older browsers (before 2024) lack. */
function makeDeferred<Value>() {
  let [resolve, reject] = [(_: Value) => {}, (_: unknown) => {}];
  const promise = new Promise<Value>((resolved, rejected) => {
    resolve = resolved;
    reject = rejected;
  });
  return { promise, resolve, reject };
}
