/** Stands in no deployed function: a test looks for it in every bundle. */
export const FAULT_PORT_MARKER = 'a port that breaks on purpose';

/** Goes through one call of a port: may break it before or after its effect, or hold it. */
export type Gate = (call: string, effect: () => Promise<unknown>) => Promise<unknown>;

/** What tells of something, or is no service: nothing of it can break by itself. */
const NOT_A_SERVICE = /^(clock|catalogue|receiverPolicy|on[A-Z].*)$/;
/** Names things, by computing alone. */
const NAMING = new Set(['ref']);
const BY_PAGES = new Set(['unfinished', 'undelivered']);

/**
 * The ports with every call of every one of them led through the gate, under names like
 * `jobs.complete` or `rasters.begin.complete`.
 * @throws Error at a call that is neither asynchronous nor listed above: it would escape the faults
 */
export function faulty<Ports extends object>(ports: Ports, gate: Gate, path = ''): Ports {
  return new Proxy(ports, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof name !== 'string' || NOT_A_SERVICE.test(name)) return member;
      const call = `${path}${name}`;
      if (isFunction(member)) return gated(member.bind(target), name, call, gate);
      return isService(member) ? faulty(member, gate, `${call}.`) : member;
    },
  });
}

type Method = (...args: readonly unknown[]) => unknown;

function gated(method: Method, name: string, call: string, gate: Gate): Method {
  if (NAMING.has(name)) return method;
  if (BY_PAGES.has(name)) return (...args) => pagesThrough(method, args, call, gate);
  return (...args) =>
    gate(call, () => {
      const answer = method(...args);
      if (answer instanceof Promise) return answer;
      throw new Error(`${FAULT_PORT_MARKER}: ${call} answers at once, so no fault reaches it`);
    }).then((answer) => (isUpload(answer) ? faulty(answer, gate, `${call}.`) : answer));
}

/** Each page is one call. */
async function* pagesThrough(
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

function isFunction(member: unknown): member is Method {
  return typeof member === 'function';
}

function isService(member: unknown): member is object {
  if (typeof member !== 'object' || member === null) return false;
  const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(member) ?? {});
  return (
    Object.values(member).some(isFunction) ||
    (Object.getPrototypeOf(member) !== Object.prototype && methods.length > 1)
  );
}

/** A multipart upload, the one port that a call answers with. */
function isUpload(answer: unknown): answer is object {
  return isService(answer) && 'uploadPart' in answer;
}
