export function trainingFile(points: readonly (readonly number[])[]): Uint8Array {
  const values = points.flat();
  const view = new DataView(new ArrayBuffer(values.length * 4));
  for (const [i, value] of values.entries()) view.setFloat32(i * 4, value, true);
  return new Uint8Array(view.buffer);
}
