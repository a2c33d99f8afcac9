export interface Store<Value> {
  readonly get: () => Value;
  readonly set: (value: Value) => void;
  readonly change: (change: (value: Value) => Value) => void;
  /** Calls the listener now and after each change. @returns a function that ends the subscription */
  readonly watch: (listener: (value: Value) => void) => () => void;
}

export function store<Value>(initial: Value): Store<Value> {
  let current = initial;
  const listeners = new Set<(value: Value) => void>();
  const set = (value: Value) => {
    if (Object.is(value, current)) return;
    current = value;
    for (const listener of listeners) listener(value);
  };
  return {
    get: () => current,
    set,
    change: (change) => set(change(current)),
    watch(listener) {
      listeners.add(listener);
      listener(current);
      return () => listeners.delete(listener);
    },
  };
}
