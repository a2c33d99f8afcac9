import 'ol/ol.css';
import './style/colours.css';
import './style/page.css';
import './style/controls.css';
import './style/tables.css';
import './style/content.css';
import './style/rows.css';
import './style/map.css';
import { keyPage } from './key.ts';
import type { Background } from './map/background.ts';
import { keptKey } from './state/kept-key.ts';
import { TEXTS } from './texts.ts';

/** The scripts are in `<base URL>/console/`. */
const BASE_URL = new URL('..', import.meta.url);

const readMeta = (name: string) =>
  document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? null;
const backgrounds: readonly Background[] = JSON.parse(readMeta('backgrounds') ?? '[]');

const key = keptKey(readMeta('origin-shared') === 'false');

document.title = TEXTS.title;
/** Most of the code is for the map, so it loads while the user enters the key. */
const shell = waitForPaint().then(() => import('./shell.ts'));
document.body.replaceChildren(
  keyPage(BASE_URL, readMeta('licences') ?? '', key, async (opened) => {
    const { openConsole } = await shell;
    document.body.replaceChildren(openConsole(opened, backgrounds, key));
  }),
);
document.getElementById('key')?.focus();

function waitForPaint(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
  });
}
