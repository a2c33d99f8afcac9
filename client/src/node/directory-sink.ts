import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  appendFile,
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
} from 'node:fs/promises';
import { uptime } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ResultFile, Sink, SinkFile } from '../download/sink.ts';
import { isJsonObject, parseJson } from '../http/json.ts';
import { invalidInput } from '../http/soil-error.ts';

/**
 * A folder of rasters. A file is written as `<name>.<etag>.part` and renamed once it is whole, so that a
 * name never holds half a raster, also after a crash. The file `.soil-batch-downloads` has the ETags
 * and digests.
 * Two processes must not download into one folder at the same time.
 */
export class DirectorySink implements Sink {
  readonly #folder: string;
  readonly #log: DownloadLog;
  #parts: Promise<ReadonlySet<string>> | undefined;

  /** @param folder is created if it does not exist */
  constructor(folder: string) {
    this.#folder = folder;
    this.#log = new DownloadLog(join(folder, '.soil-batch-downloads'));
  }

  async open(file: ResultFile): Promise<SinkFile | null> {
    const { name, etag } = file;
    requireFileName(name);
    if (await this.holds(file)) return null;
    const part = `${name}.${etag.replace(/[^\w-]/g, '')}.part`;
    await this.#removeOtherParts(name, part);
    return this.#write(file, join(this.#folder, part));
  }

  /** Whether the folder has the whole file, with this content. */
  async holds({ name, etag, bytes }: Omit<ResultFile, 'job'>): Promise<boolean> {
    if ((await this.#log.of(name))?.etag !== etag) return false;
    return (await sizeOf(join(this.#folder, name))) === bytes;
  }

  /** SHA-256 in lower-case hex of a file as it was downloaded; null if no digest was recorded. */
  async digestOf(name: string): Promise<string | null> {
    return (await this.#log.of(name))?.sha256 ?? null;
  }

  /** Removes a file and its record, as if it had never been downloaded. */
  async remove(name: string): Promise<void> {
    requireFileName(name);
    await rm(join(this.#folder, name), { force: true });
    await this.#log.forget(name);
  }

  /** Parts of another content under this name, which an earlier download left. */
  async #removeOtherParts(name: string, part: string): Promise<void> {
    this.#parts ??= partsIn(this.#folder);
    for (const other of await this.#parts) {
      if (other === part || !isPartOf(other, name)) continue;
      await rm(join(this.#folder, other), { force: true });
    }
  }

  async #write({ name, etag }: ResultFile, part: string): Promise<SinkFile> {
    const handle = await open(part, 'a');
    if (await isOfEarlierBoot(handle)) await handle.truncate(0);
    const { size } = await handle.stat();
    return {
      held: size,
      write: (chunk) => writeAll(handle, chunk),
      restart: () => handle.truncate(0),
      finish: async () => {
        await handle.sync();
        await handle.close();
        const sha256 = await sha256Of(part);
        await rename(part, join(this.#folder, name));
        await this.#log.record({ name, etag, sha256 });
      },
      suspend: () => handle.close(),
    };
  }
}

function requireFileName(name: string): void {
  if (basename(name) === name && !/^\.*$|[\\\0]/.test(name)) return;
  throw invalidInput(`${JSON.stringify(name)} is not the name of a file`);
}

async function partsIn(folder: string): Promise<ReadonlySet<string>> {
  await mkdir(folder, { recursive: true });
  return new Set((await readdir(folder)).filter((name) => name.endsWith('.part')));
}

function isPartOf(part: string, name: string): boolean {
  return part.startsWith(`${name}.`) && /^[\w-]*\.part$/.test(part.slice(name.length + 1));
}

async function sizeOf(path: string): Promise<number | null> {
  const found = await stat(path).catch(() => null);
  return found?.isFile() ? found.size : null;
}

/** After a crash of the system a part may have the size of bytes that never reached the disk. */
async function isOfEarlierBoot(handle: FileHandle): Promise<boolean> {
  const { mtimeMs } = await handle.stat();
  return mtimeMs < Date.now() - uptime() * 1000;
}

/** A handle in append mode writes at the end, also after `truncate`. */
async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.length; ) {
    const { bytesWritten } = await handle.write(chunk, written);
    written += bytesWritten;
  }
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

interface Downloaded {
  readonly name: string;
  readonly etag: string;
  /** It is null in lines of versions that recorded none. */
  readonly sha256: string | null;
}

interface Removed {
  readonly name: string;
  readonly etag: null;
}

/** What was downloaded under each name, as a line of JSON; the last line of a name counts. */
class DownloadLog {
  readonly #path: string;
  #files: Promise<Map<string, Downloaded>> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async of(name: string): Promise<Downloaded | undefined> {
    return (await this.#read()).get(name);
  }

  /** Written after the file has its name: without a line, the file is only downloaded again. */
  async record(file: Downloaded): Promise<void> {
    (await this.#read()).set(file.name, file);
    await this.#append(file);
  }

  async forget(name: string): Promise<void> {
    if (!(await this.#read()).delete(name)) return;
    await this.#append({ name, etag: null });
  }

  async #append(line: Downloaded | Removed): Promise<void> {
    // A crash may have left half a line.
    await appendFile(this.#path, `\n${JSON.stringify(line)}`);
  }

  #read(): Promise<Map<string, Downloaded>> {
    this.#files ??= readFile(this.#path, 'utf8').catch(emptyIfMissing).then(filesIn);
    return this.#files;
  }
}

function emptyIfMissing(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
  throw error;
}

function filesIn(text: string): Map<string, Downloaded> {
  const files = new Map<string, Downloaded>();
  for (const { name, etag, sha256 } of text.split('\n').map(parseJson).filter(isJsonObject)) {
    if (typeof name !== 'string') continue;
    if (typeof etag === 'string') {
      files.set(name, { name, etag, sha256: typeof sha256 === 'string' ? sha256 : null });
    } else if (etag === null) files.delete(name);
  }
  return files;
}
