/** Rings that hang together by touching: Galler and Fischer's forest (CACM 7, 1964), paths halved. */
export class Chains {
  private readonly parents = new Map<number, number>();

  /** Of rings that meet in a point makes one chain; gives two of them that hung together before. */
  join(rings: readonly number[]): readonly [number, number] | null {
    const ends = new Map<number, number>();
    let twin: readonly [number, number] | null = null;
    for (const ring of rings) {
      const end = this.endOf(ring);
      const known = ends.get(end);
      if (known === undefined) ends.set(end, ring);
      else twin ??= [known, ring];
    }
    const [first, ...others] = ends.keys();
    if (first !== undefined) for (const end of others) this.parents.set(end, first);
    return twin;
  }

  private endOf(ring: number): number {
    let at = ring;
    for (;;) {
      const parent = this.parents.get(at);
      if (parent === undefined) return at;
      const next = this.parents.get(parent);
      if (next !== undefined) this.parents.set(at, next);
      at = next ?? parent;
    }
  }
}
