/** Simulated time: what is to happen, in order; of one instant in the order in which it was asked for. */
export interface Timeline {
  /** Seconds since the beginning. */
  now(): number;
  after(seconds: number, happens: () => void): void;
  /** Lets everything happen, until nothing is left. */
  run(): void;
}

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly happens: () => void;
}

/** A binary heap (J. W. J. Williams, Algorithm 232, CACM 7, 1964). */
export function timeline(): Timeline {
  const heap: Entry[] = [];
  let [time, asked] = [0, 0];

  const before = (a: Entry, b: Entry) => a.at < b.at || (a.at === b.at && a.order < b.order);

  function push(entry: Entry): void {
    let hole = heap.length;
    heap.push(entry);
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || before(above, entry)) break;
      heap[hole] = above;
      hole = parent;
    }
    heap[hole] = entry;
  }

  function pop(): Entry | undefined {
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      let below = heap[child];
      const right = heap[child + 1];
      if (below !== undefined && right !== undefined && before(right, below)) {
        child += 1;
        below = right;
      }
      if (below === undefined || before(last, below)) break;
      heap[hole] = below;
      hole = child;
    }
    heap[hole] = last;
    return first;
  }

  return {
    now: () => time,
    after: (seconds, happens) => push({ at: time + seconds, order: asked++, happens }),
    run() {
      for (let next = pop(); next !== undefined; next = pop()) {
        time = next.at;
        next.happens();
      }
    },
  };
}
