import type { ResultDocuments } from '../domain/destination/copy-results.ts';
import { GEOJSON } from './formats.ts';
import { pageMediaType, writeItem, writePage, writeRows } from './results-page.ts';
import type { ItemPorts } from './stac-item.ts';

/** Writes the same Items and tables as the API, but the whole table in one file. */
export function resultDocuments(ports: ItemPorts): ResultDocuments {
  return {
    item: async (row, baseUrl, hrefs) => ({
      mediaType: GEOJSON,
      text: await writeItem(ports, row, baseUrl, hrefs),
    }),
    async tables(results, baseUrl) {
      const format = async (of: 'csv' | 'geojson') => {
        const request = { format: of, first: 0, baseUrl };
        const rows = [...(await writeRows(ports, results, request))];
        const text = writePage(results, request, { rows }, null);
        return { mediaType: pageMediaType(request), text };
      };
      return { csv: await format('csv'), geojson: await format('geojson') };
    },
  };
}
