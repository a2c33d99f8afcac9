/**
 * The Content-Security-Policy of the console (CSP Level 3). OpenLayers decodes tiles in workers that it
 * makes from blobs, and the reader of GeoPackages is WebAssembly.
 */
export function contentPolicy(resultsOrigin: string, tileUrl: string | null): string {
  const tiles = tileUrl === null ? [] : [originOf(tileUrl)];
  const directives: Readonly<Record<string, readonly string[]>> = {
    'default-src': ["'none'"],
    'script-src': ["'self'", "'wasm-unsafe-eval'"],
    'style-src': ["'self'"],
    'img-src': ["'self'", 'data:', 'blob:', ...tiles],
    'worker-src': ['blob:'],
    'connect-src': ["'self'", resultsOrigin],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'frame-ancestors': ["'none'"],
  };
  return Object.entries(directives)
    .map(([name, sources]) => [name, ...sources].join(' '))
    .join('; ');
}

/** Of a template such as `https://tiles.example/{z}/{x}/{y}.png`. */
function originOf(tileUrl: string): string {
  return new URL(tileUrl).origin;
}
