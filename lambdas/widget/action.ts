import { type Html, html } from '#engine/markup/html.ts';

/** Builds a link that makes the dashboard call this function again for another view. */
export type Link = (text: Html | string, params: LinkParams) => Html;

export interface LinkParams {
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
