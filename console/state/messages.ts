import { type Limits, SoilError, type Wait } from 'soil-batch-client';
import { RasterUnreadable } from '../map/raster-unreadable.ts';
import { TEXTS } from '../texts.ts';

export function explainError(error: unknown): string {
  if (error instanceof RasterUnreadable) return TEXTS.result[error.fault];
  if (!(error instanceof SoilError)) {
    console.error(error);
    return TEXTS.errors.unknown;
  }
  if (error.status === 401) return TEXTS.errors.key;
  if (error.type === 'network') return TEXTS.errors.network;
  if (error.type === 'not-the-service') return TEXTS.errors.otherServer;
  const violations = error.errors.map(({ pointer, message }) => `${pointer}: ${message}`);
  return [error.message, ...violations].join(' ');
}

export function explainBatchError(error: unknown, { retention_days: days }: Limits): string {
  const type = error instanceof SoilError ? error.type : null;
  if (type === 'results-expired') return TEXTS.errors.expired(days);
  return type === 'batch-not-found' ? TEXTS.errors.noBatch(days) : explainError(error);
}

export function explainWait({ error, seconds }: Wait): string {
  const whole = Math.max(1, Math.ceil(seconds));
  if (error.type === 'throttled') return TEXTS.errors.throttled(whole);
  if (error.type === 'network') return TEXTS.errors.disconnected(whole);
  return TEXTS.errors.delayed(whole);
}
