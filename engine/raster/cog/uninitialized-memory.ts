/**
 * Memory that is not zeroed, for buffers of which only a part is written: untouched pages cost
 * nothing, and all pages return to the system when the buffer is collected. malloc(3) always maps
 * allocations above 32 MiB separately. After a smaller one was freed it serves that size from its heap,
 * which keeps the touched pages, and later buffers touch others (mallopt(3): M_MMAP_THRESHOLD,
 * DEFAULT_MMAP_THRESHOLD_MAX).
 */
export function uninitializedMemory(length: number): ArrayBuffer {
  const mapped = length < SMALL_BYTES ? length : Math.max(length, MAPPED_BYTES);
  return Buffer.allocUnsafeSlow(mapped).buffer;
}

const MAPPED_BYTES = 33 * 2 ** 20;
const SMALL_BYTES = 2 ** 20;
