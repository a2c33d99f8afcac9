/** `4 s`, `3 min 20 s`, `2 h 05 min`, `3 d 4 h`: two units at most. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const minutes = Math.floor(whole / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  const two = (value: number) => String(value).padStart(2, '0');
  if (minutes === 0) return `${whole} s`;
  if (hours === 0) return `${minutes} min ${two(whole % 60)} s`;
  if (days === 0) return `${hours} h ${two(minutes % 60)} min`;
  return `${days} d ${hours % 24} h`;
}

/** Rounded down, so that only finished work shows 100 %. */
export function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

export function rate(perMinute: number): string {
  return perMinute >= 10 ? perMinute.toFixed(0) : perMinute.toFixed(1);
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** Time of day in UTC, from an ISO 8601 time. */
export function timeOfDay(timestamp: string): string {
  return `${timestamp.slice(11, 19)} UTC`;
}
