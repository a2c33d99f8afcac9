import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * Replaces a file so that a crash or a full disk leaves the old or the new content, on disk when this
 * returns: the file is synced before the rename, the folder after. One process at a time may do so
 * (`lock.ts`).
 */
export async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  const draft = `${file}.part`;
  try {
    const handle = await open(draft, 'w');
    try {
      await handle.writeFile(content);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  await syncFolder(path.dirname(file));
}

/** Windows cannot open a folder, and syncs the rename itself. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
