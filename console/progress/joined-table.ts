const FEATURES = '"features":[';

/**
 * One FeatureCollection of all pages of a table. It joins text: a parsed integer above 2^53 would lose
 * digits. The service, which serves this page too, writes `features` last.
 */
export function joinedTable(pages: readonly string[]): string {
  const features = pages.map((page) =>
    page.slice(page.indexOf(FEATURES) + FEATURES.length, page.lastIndexOf(']')),
  );
  return `{"type":"FeatureCollection",${FEATURES}${features.join(',')}]}`;
}
