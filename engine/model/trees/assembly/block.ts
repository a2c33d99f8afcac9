import { Call } from './layout';

/** Rounds up to whole vectors of 16 bytes. */
export function aligned(bytes: i32): i32 {
  return (bytes + 15) & ~15;
}

/**
 * Copies the features of the block's points to columns of float32, and repeats the last point up to a
 * whole vector.
 */
export function transpose(
  call: Call,
  from: i32,
  count: i32,
  columns: usize,
  columnBytes: i32,
): void {
  const rowBytes = call.features << 2;
  const firstRow = call.points + from * rowBytes;
  const lastRow = firstRow + (count - 1) * rowBytes;
  for (let feature = 0; feature < call.features; feature++) {
    const end = columns + columnBytes;
    for (let row = firstRow; columns < end; columns += 4) {
      store<f32>(columns, load<f32>(row + (feature << 2)));
      row = min(row + rowBytes, lastRow);
    }
  }
}

export function leastLane(lanes: v128): f32 {
  return min(
    min(f32x4.extract_lane(lanes, 0), f32x4.extract_lane(lanes, 1)),
    min(f32x4.extract_lane(lanes, 2), f32x4.extract_lane(lanes, 3)),
  );
}

export function writeResults(call: Call, from: i32, count: i32, sums: usize): void {
  let result = call.results + ((from * call.targets) << 2);
  for (let i = 0; i < count; i++) {
    const row = sums + ((i * call.stride) << 3);
    for (let target = 0; target < call.targets; target++) {
      const base = load<f64>(call.baseValues + (target << 3));
      store<f32>(result, <f32>(load<f64>(row + (target << 3)) / call.divisor + base));
      result += 4;
    }
  }
}

export function addToAll(sums: usize, value: f64, stride: i32, count: i32): void {
  const end = sums + ((count * stride) << 3);
  if (stride === 1) {
    const both = f64x2.splat(value);
    for (; sums < end; sums += 16) v128.store(sums, f64x2.add(v128.load(sums), both));
  } else {
    for (; sums < end; sums += stride << 3) store<f64>(sums, load<f64>(sums) + value);
  }
}

/** Adds a row of float32 values to a row of sums; both rows have an even number of values. */
export function addRow(sums: usize, values: usize, valueBytes: i32): void {
  const end = values + valueBytes;
  for (const last = end - 8; values < last; values += 16) {
    const four = v128.load(values);
    const high = v128.shuffle<i32>(four, four, 2, 3, 2, 3);
    v128.store(sums, f64x2.add(v128.load(sums), f64x2.promote_low_f32x4(four)));
    v128.store(sums, f64x2.add(v128.load(sums, 16), f64x2.promote_low_f32x4(high)), 16);
    sums += 32;
  }
  if (values < end) {
    const pair = f64x2.promote_low_f32x4(v128.load64_zero(values));
    v128.store(sums, f64x2.add(v128.load(sums), pair));
  }
}
