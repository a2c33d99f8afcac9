import type { Deployment } from '../http/request.ts';

export const API_TITLE = 'Soil Batch';

/**
 * The documents of a deployment are built when the service is synthesised, so that the function that serves them need
 * not import the definitions of all operations.
 */
export type TemplateName = `openapi-${Deployment}.json` | `reference-${Deployment}.html`;

export const PLACEHOLDERS = { baseUrl: '{{base_url}}', version: '{{version}}' } as const;

type Values = Readonly<Record<keyof typeof PLACEHOLDERS, string>>;

/** @param escapeValue escapes a value for the format of the template */
export function fillTemplate(
  template: string,
  values: Values,
  escapeValue: (text: string) => string,
): string {
  return template
    .replaceAll(PLACEHOLDERS.baseUrl, () => escapeValue(values.baseUrl))
    .replaceAll(PLACEHOLDERS.version, () => escapeValue(values.version));
}
