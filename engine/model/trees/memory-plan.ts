const PAGE = 65_536;
/** The limit of WebAssembly's 32-bit memories: 4 GiB. */
const MAX_PAGES = 65_536;
/** The size of a cache line. */
const ALIGNMENT = 64;

type Write = (buffer: ArrayBufferLike, at: number) => void;

/** The layout of one WebAssembly memory, which is allocated when all sizes are known. */
export class MemoryPlan {
  #end = ALIGNMENT;
  readonly #writes: (readonly [number, Write])[] = [];

  /** @returns the offset of the bytes; never 0 */
  reserve(bytes: number, write?: Write): number {
    const at = this.#end;
    this.#end += Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    if (write) this.#writes.push([at, write]);
    return at;
  }

  words(values: ArrayLike<number>): number {
    return this.reserve(values.length * 4, (buffer, at) =>
      new Int32Array(buffer, at, values.length).set(values),
    );
  }

  floats(values: Float32Array): number {
    return this.reserve(values.byteLength, (buffer, at) =>
      new Float32Array(buffer, at, values.length).set(values),
    );
  }

  /** Undefined if it is too large for one memory. */
  allocate(): WebAssembly.Memory | undefined {
    const pages = Math.ceil(this.#end / PAGE);
    if (pages > MAX_PAGES) return undefined;
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    for (const [at, write] of this.#writes) write(memory.buffer, at);
    return memory;
  }
}
