import type { Manifest } from './manifest.ts';

export function listLicenses({ licenses }: Pick<Manifest, 'licenses'>): readonly string[] {
  return [...new Set(licenses.map(({ license }) => license))];
}

export function formatCitation({ licenses }: Pick<Manifest, 'licenses'>): string {
  return [...new Set(licenses.map(({ citation }) => citation))].join('; ');
}
