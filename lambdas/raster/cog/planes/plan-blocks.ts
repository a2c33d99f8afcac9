import { BITS_BESIDE, SYMBOLS } from './alphabet.ts';
import { type BlockCode, blockCode, entryBits } from './block-code.ts';
import { type BlockPlan, KINDS, STORED, type Tally } from './tile-planes.ts';

/** Of a stored block at most: BFINAL and BTYPE, to the next byte, LEN and NLEN. */
const STORED_START_BITS = 3 + 7 + 32;

/**
 * Which kinds of planes share a code, which have one of their own, and which are stored. All ways
 * are compared (203 for five kinds): by the entropy of what would share a code, and by the headers
 * of as many blocks as neighbouring planes would begin. Never longer than a tile that is stored.
 */
export function planBlocks(tally: Tally, planeBytes: number): BlockPlan {
  const { planes, starts } = neighboursOf(tally.kinds);
  const costOf = groupCosts(tally);
  const storedBits = (mask: number): number =>
    (planes[mask] ?? 0) * planeBytes * 8 + (starts[mask] ?? 0) * STORED_START_BITS;
  const present = maskOf((kind) => (planes[1 << kind] ?? 0) > 0);
  let best: Grouping = { coded: [], stored: present };
  let least = Number.POSITIVE_INFINITY;
  for (const grouping of groupingsOf(present)) {
    let bits = storedBits(grouping.stored);
    for (const mask of grouping.coded) {
      const cost = costOf(mask);
      bits += cost.bits + (starts[mask] ?? 0) * cost.startBits;
    }
    if (bits < least) [best, least] = [grouping, bits];
  }
  const codes = best.coded.map((mask) => blockCode(joined(tally.counts, mask)));
  const bits = codes.reduce((sum, code, i) => {
    const startBits = code.header.bits + entryBits(code.endOfBlock);
    return sum + code.bits + (starts[best.coded[i] ?? 0] ?? 0) * startBits;
  }, storedBits(best.stored));
  if (bits >= storedBits(present)) return planOf({ coded: [], stored: present }, [], tally);
  return planOf(best, codes, tally);
}

/** Kinds as bits of a number: those of each code, and those that are stored. */
interface Grouping {
  readonly coded: readonly number[];
  readonly stored: number;
}

const ALL_KINDS = Array.from({ length: KINDS }, (_, kind) => kind);
const MASKS = 2 ** KINDS;

const maskOf = (has: (kind: number) => boolean): number =>
  ALL_KINDS.filter(has).reduce((mask, kind) => mask | (1 << kind), 0);

const groupingsByMask = new Map<number, readonly Grouping[]>();

function groupingsOf(mask: number): readonly Grouping[] {
  const known = groupingsByMask.get(mask) ?? groupings(mask);
  groupingsByMask.set(mask, known);
  return known;
}

function groupings(mask: number): readonly Grouping[] {
  return ALL_KINDS.filter((kind) => (mask & (1 << kind)) !== 0).reduce<readonly Grouping[]>(
    (all, kind) =>
      all.flatMap(({ coded, stored }) => [
        { coded, stored: stored | (1 << kind) },
        { coded: [...coded, 1 << kind], stored },
        ...coded.map((_, i) => ({ coded: coded.with(i, (coded[i] ?? 0) | (1 << kind)), stored })),
      ]),
    [{ coded: [], stored: 0 }],
  );
}

/** By the kinds as bits of a number. */
interface Neighbours {
  /** How many planes are of one of the kinds. */
  readonly planes: Uint32Array;
  /** How many of those begin the tile or follow one of another kind: as many blocks they take. */
  readonly starts: Uint32Array;
}

function neighboursOf(kinds: Uint8Array): Neighbours {
  const pairs = new Uint32Array((KINDS + 1) * KINDS);
  let before = KINDS;
  for (const kind of kinds) {
    const pair = before * KINDS + kind;
    pairs[pair] = (pairs[pair] ?? 0) + 1;
    before = kind;
  }
  const planes = new Uint32Array(MASKS);
  const starts = new Uint32Array(MASKS);
  for (let mask = 0; mask < MASKS; mask += 1) {
    for (let pair = 0; pair < pairs.length; pair += 1) {
      const times = pairs[pair] ?? 0;
      if (times === 0 || (mask & (1 << (pair % KINDS))) === 0) continue;
      planes[mask] = (planes[mask] ?? 0) + times;
      const follows = (mask & (1 << Math.floor(pair / KINDS))) === 0;
      if (follows) starts[mask] = (starts[mask] ?? 0) + times;
    }
  }
  return { planes, starts };
}

interface GroupCost {
  readonly bits: number;
  /** A block's header and end. */
  readonly startBits: number;
}

function groupCosts({ counts }: Tally): (mask: number) => GroupCost {
  const known = new Map<number, GroupCost>();
  return (mask) => {
    const cost = known.get(mask) ?? estimate(joined(counts, mask));
    known.set(mask, cost);
    return cost;
  };
}

function joined(counts: readonly Uint32Array[], mask: number): Uint32Array {
  const sum = new Uint32Array(SYMBOLS);
  for (const [kind, ofKind] of counts.entries()) {
    if ((mask & (1 << kind)) === 0) continue;
    for (let symbol = 0; symbol < SYMBOLS; symbol += 1) {
      sum[symbol] = (sum[symbol] ?? 0) + (ofKind[symbol] ?? 0);
    }
  }
  return sum;
}

/** By entropy (no code is shorter than one bit); a header costs about this beside each symbol's. */
function estimate(counts: Uint32Array): GroupCost {
  let all = 0;
  for (const count of counts) all += count;
  let bits = 0;
  let used = 0;
  for (let symbol = 0; symbol < SYMBOLS; symbol += 1) {
    const count = counts[symbol] ?? 0;
    if (count === 0) continue;
    used += 1;
    bits += count * (Math.max(Math.log2(all / count), 1) + (BITS_BESIDE[symbol] ?? 0));
  }
  return { bits, startBits: 90 + used * 4 };
}

function planOf({ coded }: Grouping, codes: readonly BlockCode[], { kinds }: Tally): BlockPlan {
  const codeOfKind = new Uint8Array(KINDS).fill(STORED);
  for (const [code, mask] of coded.entries()) {
    for (const kind of ALL_KINDS) if ((mask & (1 << kind)) !== 0) codeOfKind[kind] = code;
  }
  return { kinds, codeOfKind, codes };
}
