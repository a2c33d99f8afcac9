/**
 * Lengths of a prefix code for symbols that occur so often, none longer than `limit`; 0 where a
 * symbol does not occur. Huffman's lengths (Proc. IRE 40 (1952) 1098–1101), made by merging two
 * queues; what is longer than the limit is cut to it, and shorter codes give way until the sum of
 * 2^-length is 1 again.
 */
export function codeLengths(counts: Uint32Array, limit: number): Uint8Array {
  const lengths = new Uint8Array(counts.length);
  const symbols = rarestFirst(counts);
  if (symbols.length < 2) {
    for (const symbol of symbols) lengths[symbol] = 1;
    return lengths;
  }
  const ofLength = cutTo(limit, depthCounts(counts, symbols));
  let at = 0;
  for (let length = limit; length > 0; length -= 1) {
    for (let left = ofLength[length] ?? 0; left > 0; left -= 1) {
      lengths[symbols[at++] ?? 0] = length;
    }
  }
  return lengths;
}

/** Symbols that occur; of equally many the one of the lower number first. */
function rarestFirst(counts: Uint32Array): Uint16Array {
  const keys = new Float64Array(counts.length);
  let used = 0;
  for (let symbol = 0; symbol < counts.length; symbol += 1) {
    const count = counts[symbol] ?? 0;
    if (count > 0) keys[used++] = count * 65_536 + symbol;
  }
  return Uint16Array.from(keys.subarray(0, used).sort(), (key) => key % 65_536);
}

/** How many symbols lie how deep in Huffman's tree. */
function depthCounts(counts: Uint32Array, symbols: Uint16Array): Uint32Array {
  const leaves = symbols.length;
  const weights = Float64Array.from(symbols, (symbol) => counts[symbol] ?? 0);
  const sums = new Float64Array(leaves - 1);
  const parents = new Uint16Array(2 * leaves - 1);
  let [leaf, tree] = [0, 0];
  for (let made = 0; made < leaves - 1; made += 1) {
    let sum = 0;
    for (let child = 0; child < 2; child += 1) {
      const leafIsNext =
        leaf < leaves && (tree >= made || (weights[leaf] ?? 0) <= (sums[tree] ?? 0));
      sum += (leafIsNext ? weights[leaf] : sums[tree]) ?? 0;
      parents[leafIsNext ? leaf++ : leaves + tree++] = leaves + made;
    }
    sums[made] = sum;
  }
  const depths = new Uint16Array(2 * leaves - 1);
  const ofDepth = new Uint32Array(leaves);
  for (let node = 2 * leaves - 3; node >= 0; node -= 1) {
    const depth = (depths[parents[node] ?? 0] ?? 0) + 1;
    depths[node] = depth;
    if (node < leaves) ofDepth[depth] = (ofDepth[depth] ?? 0) + 1;
  }
  return ofDepth;
}

function cutTo(limit: number, ofDepth: Uint32Array): Uint32Array {
  const ofLength = new Uint32Array(limit + 1);
  let taken = 0; // in units of the longest code's share
  for (let depth = 1; depth < ofDepth.length; depth += 1) {
    const length = Math.min(depth, limit);
    const symbols = ofDepth[depth] ?? 0;
    ofLength[length] = (ofLength[length] ?? 0) + symbols;
    taken += symbols * 2 ** (limit - length);
  }
  // Each step lengthens the longest code that is shorter than the limit, and puts one beside it.
  for (let over = taken - 2 ** limit; over > 0; over -= 1) {
    let length = limit - 1;
    while (ofLength[length] === 0) length -= 1;
    ofLength[length] = (ofLength[length] ?? 0) - 1;
    ofLength[length + 1] = (ofLength[length + 1] ?? 0) + 2;
    ofLength[limit] = (ofLength[limit] ?? 0) - 1;
  }
  return ofLength;
}

/** Canonical codes (RFC 1951, section 3.2.2), first bit lowest as deflate packs them. */
export function canonicalCodes(lengths: Uint8Array): Uint16Array {
  const ofLength = new Uint16Array(17);
  for (const length of lengths) ofLength[length + 1] = (ofLength[length + 1] ?? 0) + 1;
  ofLength[1] = 0;
  const next = new Uint16Array(17);
  for (let length = 1; length < 17; length += 1) {
    next[length] = ((next[length - 1] ?? 0) + (ofLength[length] ?? 0)) << 1;
  }
  return Uint16Array.from(lengths, (length) => {
    if (length === 0) return 0;
    const code = next[length] ?? 0;
    next[length] = code + 1;
    return reversed(code, length);
  });
}

function reversed(code: number, length: number): number {
  let bits = 0;
  for (let i = 0; i < length; i += 1) bits |= ((code >> i) & 1) << (length - 1 - i);
  return bits;
}
