// The process of a function, like Lambda's Node runtime: it loads the bundle, and handles one event after
// another.
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const bundle = path.join(process.env.LAMBDA_TASK_ROOT, 'index.mjs');
const { handler } = await import(pathToFileURL(bundle).href);

process.on('message', async ({ event, seconds }) => {
  const end = Date.now() + seconds * 1_000;
  const context = { getRemainingTimeInMillis: () => end - Date.now() };
  try {
    process.send({ failed: false, payload: (await handler(event, context)) ?? null });
  } catch ({ name, message }) {
    process.send({ failed: true, payload: { errorType: name, errorMessage: message } });
  }
});
