import { FileQuestion, FileRejected } from './files/file-fields.ts';
import { readFile } from './files/read-file.ts';
import type { ReaderMessage, ReadTask } from './files/read-in-worker.ts';

// This worker reads one file: terminating it ends the work on a hostile file and frees its memory.

const send = (message: ReaderMessage) => postMessage(message);

addEventListener('message', async ({ data }: MessageEvent<ReadTask>) => {
  try {
    send({ kind: 'read', read: await readFile(data.file, data.choice) });
  } catch (error) {
    send(describeFailure(error));
  }
});
send({ kind: 'ready' });

function describeFailure(error: unknown): ReaderMessage {
  if (error instanceof FileQuestion) {
    return { kind: 'question', message: error.message, question: error.question };
  }
  if (error instanceof FileRejected) {
    return { kind: 'rejected', fault: error.fault, message: error.message };
  }
  console.error(error);
  return { kind: 'failed' };
}
