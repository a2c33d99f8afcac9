import type { Manifest } from './manifest.ts';

/** The licenses of a model's parts, each once. */
export function listLicenses({ licenses }: Pick<Manifest, 'licenses'>): readonly string[] {
  return [...new Set(licenses.map(({ license }) => license))];
}

/** What a publication with a model's results cites, in one text. */
export function formatCitation({ licenses }: Pick<Manifest, 'licenses'>): string {
  return [...new Set(licenses.map(({ citation }) => citation))].join('; ');
}
