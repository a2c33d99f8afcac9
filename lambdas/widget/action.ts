import { type Html, html } from './html.ts';

/** Makes a link that has the dashboard call this function again, for another view. */
export type Link = (text: Html | string, asked: Asked) => Html;

export interface Asked {
  readonly batch_id?: string;
  readonly job_index?: number;
}

/**
 * The element before a `cwdb-action` is what is clicked; what stands inside it is the next event.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/add_custom_widget_dashboard_about.html
 *
 * @param endpoint ARN of this function
 */
export function linkTo(endpoint: string): Link {
  return (text, asked) =>
    html`<a>${text}</a><cwdb-action action="call" display="widget" endpoint="${endpoint}">${JSON.stringify(asked)}</cwdb-action>`;
}
