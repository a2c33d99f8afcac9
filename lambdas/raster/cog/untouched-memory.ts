/**
 * Memory of which only a part will be written: the rest costs nothing, and all of it goes back when
 * it is collected. malloc(3) maps more than 32 MiB by itself; of less it keeps the touched pages once
 * one as large was freed, and each next one would touch others (mallopt(3): M_MMAP_THRESHOLD,
 * DEFAULT_MMAP_THRESHOLD_MAX). What is in it is not zero.
 */
export function untouchedMemory(length: number): ArrayBuffer {
  const mapped = length < SMALL_BYTES ? length : Math.max(length, MAPPED_BYTES);
  return Buffer.allocUnsafeSlow(mapped).buffer;
}

const MAPPED_BYTES = 33 * 2 ** 20;
const SMALL_BYTES = 2 ** 20;
