import { type Html, html } from '../../client/src/drawing/html.ts';
import type { ShownBatch } from '../domain/dashboard/running-batches.ts';

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

/**
 * Finished jobs by outcome, then the progress of running ones. Its filled length is the progress in the
 * batch status.
 */
export function progressBar({ counts, progress }: ShownBatch, size: 'tall' | '' = ''): Html {
  const failed = counts.failed / counts.total;
  const completed = counts.completed / counts.total;
  const running = Math.max(0, progress - failed - completed);
  const part = (state: string, share: number) =>
    share > 0 ? html`<i class="${state}" style="width:${(share * 100).toFixed(2)}%"></i>` : null;
  return html`<div class="bar ${size}">${[
    part('completed', completed),
    part('failed', failed),
    part('processing', running),
  ]}</div>`;
}

/** The same for a job's patch-batches. */
export function jobBar(completed: number, total: number): Html {
  const share = total === 0 ? 0 : (completed / total) * 100;
  return html`<div class="bar"><i class="processing" style="width:${share.toFixed(2)}%"></i></div>`;
}

/** Builds a link that makes the dashboard call this function again for another view. */
export type Link = (text: Html | string, params: LinkParams) => Html;

interface LinkParams {
  readonly batch_id?: string;
  readonly job_index?: number;
}

/**
 * The element before a `cwdb-action` is the click target; its content is the next event.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/add_custom_widget_dashboard_about.html
 * @param endpoint ARN of this function
 */
export function linkTo(endpoint: string): Link {
  return (text, params) =>
    html`<a>${text}</a><cwdb-action action="call" display="widget" endpoint="${endpoint}">${JSON.stringify(params)}</cwdb-action>`;
}
