/** Usage in the units that AWS charges by. */
export interface Usage {
  readonly apiRequests: number;
  readonly functionCalls: number;
  readonly armGbSeconds: number;
  readonly x86GbSeconds: number;
  readonly stateTransitions: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly objectWrites: number;
  readonly objectReads: number;
  readonly messages: number;
  readonly keyUses: number;
  readonly logBytes: number;
  readonly objectGbMonths: number;
}

const NOTHING: Usage = {
  apiRequests: 0,
  functionCalls: 0,
  armGbSeconds: 0,
  x86GbSeconds: 0,
  stateTransitions: 0,
  readUnits: 0,
  writeUnits: 0,
  objectWrites: 0,
  objectReads: 0,
  messages: 0,
  keyUses: 0,
  logBytes: 0,
  objectGbMonths: 0,
};

const UNITS = Object.keys(NOTHING) as readonly (keyof Usage)[];

/** The sum of each part, multiplied by its count. */
export function sumOf(parts: readonly (readonly [times: number, part: Partial<Usage>])[]): Usage {
  const total: Record<keyof Usage, number> = { ...NOTHING };
  for (const [times, part] of parts) {
    for (const unit of UNITS) total[unit] += times * (part[unit] ?? 0);
  }
  return total;
}
