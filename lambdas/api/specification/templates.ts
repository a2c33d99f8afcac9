import type { Deployment } from '../http/request.ts';

/** The name of the API in its documents. */
export const API_TITLE = 'Soil Batch';

/**
 * Names of the documents that describe a deployment. They are built when the service is synthesised, so that the
 * function that serves them imports no operation definitions. Their base URL and version are filled in later.
 */
export type TemplateName = `openapi-${Deployment}.json` | `reference-${Deployment}.html`;

export const PLACEHOLDERS = { baseUrl: '{{base_url}}', version: '{{version}}' } as const;

type Values = Readonly<Record<keyof typeof PLACEHOLDERS, string>>;

/** @param toFormat escapes a value for the format of the template */
export function fillTemplate(
  template: string,
  values: Values,
  toFormat: (text: string) => string,
): string {
  return template
    .replaceAll(PLACEHOLDERS.baseUrl, () => toFormat(values.baseUrl))
    .replaceAll(PLACEHOLDERS.version, () => toFormat(values.version));
}
