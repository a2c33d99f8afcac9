/** A test checks that no deployed bundle contains this text. */
export const FAULT_PORT_MARKER = 'a port that breaks on purpose';

/** Wraps one call of a port, which may fail before or after its effect, or never return. */
export type Gate = (call: string, effect: () => Promise<unknown>) => Promise<unknown>;

/** Callbacks and ports that read the function's own asset, which call no service. */
const NOT_A_SERVICE = /^(clock|catalogue|packDigests|on[A-Z].*)$/;
/** Methods that only compute a name or make a file's reader. */
const SYNCHRONOUS = /(^|\.)ref$|^resultFiles\.open$/;
const PAGINATED = new Set(['unfinished', 'undelivered', 'unpublished']);

/**
 * Returns the ports with each call wrapped by the gate, under names like `jobs.complete` or `rasters.begin.complete`.
 * @throws Error for a synchronous call that is not listed above, because no fault would reach it
 */
export function withFaults<Ports extends object>(ports: Ports, gate: Gate, path = ''): Ports {
  return new Proxy(ports, {
    get(target, name, receiver) {
      const property: unknown = Reflect.get(target, name, receiver);
      if (typeof name !== 'string' || NOT_A_SERVICE.test(name)) return property;
      const call = `${path}${name}`;
      if (isFunction(property)) return gateMethod(property.bind(target), name, call, gate);
      return isService(property) ? withFaults(property, gate, `${call}.`) : property;
    },
  });
}

type Method = (...args: readonly unknown[]) => unknown;

function gateMethod(method: Method, name: string, call: string, gate: Gate): Method {
  if (SYNCHRONOUS.test(call)) return method;
  if (PAGINATED.has(name)) return (...args) => gatePages(method, args, call, gate);
  return (...args) =>
    gate(call, () => {
      const result = method(...args);
      if (result instanceof Promise) return result;
      throw new Error(`${FAULT_PORT_MARKER}: ${call} is synchronous, so no fault reaches it`);
    }).then((result) => (isUpload(result) ? withFaults(result, gate, `${call}.`) : result));
}

async function* gatePages(
  method: Method,
  args: readonly unknown[],
  call: string,
  gate: Gate,
): AsyncGenerator<unknown> {
  const pages = method(...args) as AsyncIterable<unknown>;
  const iterator = pages[Symbol.asyncIterator]();
  while (true) {
    const page = (await gate(call, () => iterator.next())) as IteratorResult<unknown>;
    if (page.done) return;
    yield page.value;
  }
}

function isFunction(value: unknown): value is Method {
  return typeof value === 'function';
}

function isService(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(value) ?? {});
  return (
    Object.values(value).some(isFunction) ||
    (Object.getPrototypeOf(value) !== Object.prototype && methods.length > 1)
  );
}

/** Whether a result is a multipart upload, the only port that a call returns. */
function isUpload(result: unknown): result is object {
  return isService(result) && 'uploadPart' in result;
}
