/** A value read from an account, or why the read failed: the caller may lack the permission. */
export type Attempt<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: string };

export async function tryRead<Value>(read: () => Promise<Value>): Promise<Attempt<Value>> {
  try {
    return { ok: true, value: await read() };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Null if AWS says, with this error, that what is read does not exist. */
export async function ifExists<Value>(
  read: Promise<Value>,
  NotFound: new (...args: never[]) => Error,
): Promise<Value | null> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
}
