/**
 * Declares the part of the WebAssembly JavaScript Interface that is used here, so that this code does not need
 * `lib.dom`.
 */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Memory {
    constructor(descriptor: { initial: number; maximum: number; shared?: true });
    readonly buffer: ArrayBufferLike;
  }
  class Instance {
    constructor(
      module: Module,
      imports: Readonly<Record<string, Readonly<Record<string, Memory>>>>,
    );
    readonly exports: Readonly<Record<string, unknown>>;
  }
}
