import { appendFile, readFile } from 'node:fs/promises';
import { isJsonObject, parseJson } from '../http/json.ts';

/** The ETag of each finished file, as a line of JSON; the last line of a name counts. */
export class DownloadLog {
  readonly #path: string;
  #etags: Promise<Map<string, string>> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  async etagOf(name: string): Promise<string | undefined> {
    return (await this.#read()).get(name);
  }

  /** Written after the file has its name: without a line, the file is only downloaded again. */
  async record(name: string, etag: string): Promise<void> {
    (await this.#read()).set(name, etag);
    // A crash may have left half a line.
    await appendFile(this.#path, `\n${JSON.stringify({ name, etag })}`);
  }

  #read(): Promise<Map<string, string>> {
    this.#etags ??= readFile(this.#path, 'utf8').catch(emptyIfMissing).then(etagsIn);
    return this.#etags;
  }
}

function emptyIfMissing(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
  throw error;
}

function etagsIn(text: string): Map<string, string> {
  const lines = text.split('\n').map(parseJson).filter(isJsonObject);
  return new Map(
    lines.flatMap(({ name, etag }) =>
      typeof name === 'string' && typeof etag === 'string' ? [[name, etag] as const] : [],
    ),
  );
}
