import { defaults } from 'ol/control/defaults.js';
import { ScaleLine } from 'ol/control.js';
import { defaults as interactions } from 'ol/interaction/defaults.js';
import MouseWheelZoom from 'ol/interaction/MouseWheelZoom.js';
import OpenLayersMap from 'ol/Map.js';
import type MapBrowserEvent from 'ol/MapBrowserEvent.js';
import { unByKey } from 'ol/Observable.js';
import { get, useGeographic } from 'ol/proj.js';
import View from 'ol/View.js';
import type { Model } from 'soil-batch-client';
import { h } from '../element.ts';
import { TEXTS } from '../texts.ts';
import { addBackgroundControl, type Background } from './background.ts';
import { type Bounds, boundsOf } from './bounds.ts';
import { coverageLayer, findModelsAt } from './coverage.ts';
import { graticule } from './graticule.ts';
import { registerProjections, showsAll } from './projections.ts';
import { onTheme } from './theme.ts';

/** A map, usually in a model's reference system; callers pass and get degrees. */
export interface SoilMap {
  readonly element: HTMLElement;
  readonly map: OpenLayersMap;
  /** Shows the map in this model's reference system, so that its rasters are not resampled. */
  readonly projectLike: (model: Model) => void;
  /**
   * Shows bounds, in another reference system if the present one cannot show them. Null leaves the map as it
   * is.
   */
  readonly fit: (bounds: Bounds | null) => void;
  /**
   * Calls the listener with the pixel under the pointer or with a tapped pixel. @returns a function that
   * stops listening
   */
  readonly onPoint: (listener: (point: PointOnMap) => void) => () => void;
  /** Calls the listener after each frame. @returns a function that stops listening */
  readonly onFrame: (listener: () => void) => () => void;
}

export interface PointOnMap {
  readonly pixel: readonly number[];
  readonly lon: number;
  readonly lat: number;
}

const WORLD: Bounds = [-180, -85, 180, 85];
/**
 * Pixels between the fitted bounds and the edges of the map; the top has the labels of meridians and models.
 */
const PADDING = [64, 40, 40, 40];
const ANIMATION_MS = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 250;
/** Wheel turns within this time zoom together. The default, 80 ms, feels slow. */
const WHEEL_WAIT_MS = 30;
/** Shorter than other animations, because each wheel turn interrupts the previous animation. */
const WHEEL_ANIMATION_MS = Math.min(ANIMATION_MS, 100);

export function soilMap(models: readonly Model[], backgrounds: readonly Background[]): SoilMap {
  useGeographic();
  const coverageOf = (model: Model) => boundsOf([model.coverage]) ?? WORLD;
  registerProjections(models);
  const element = h('div', {
    id: 'map',
    class: 'map',
    tabindex: 0,
    role: 'application',
    'aria-label': TEXTS.map.label,
  });
  const coverage = coverageLayer(models);
  const map = new OpenLayersMap({
    target: element,
    controls: defaults({
      attribution: false,
      rotate: false,
      zoomOptions: { duration: ANIMATION_MS },
    }).extend([new ScaleLine()]),
    interactions: interactions({ zoomDuration: ANIMATION_MS, mouseWheelZoom: false }).extend([
      new MouseWheelZoom({ duration: WHEEL_ANIMATION_MS, timeout: WHEEL_WAIT_MS }),
    ]),
    layers: [coverage],
  });
  // A reset makes the graphics card forget the rasters, which the next frame loads again.
  map.getViewport().addEventListener('webglcontextrestored', () => map.render(), true);
  addBackgroundControl(map, backgrounds);
  // Load the outlines later: they are large, and the page works without them.
  import('./land.ts').then(({ addLand }) => addLand(map)).catch(() => {});
  // OpenLayers labels its zoom buttons with a plus and a minus; only a tooltip states their purpose.
  for (const control of element.querySelectorAll('button')) control.ariaLabel = control.title;
  let grid = graticule(map);
  map.addLayer(grid);
  onTheme(() => {
    map.removeLayer(grid);
    grid = graticule(map);
    map.addLayer(grid);
  });
  let projected: string | null = null;
  const project = (crs: string) => {
    if (projected === crs) return;
    projected = crs;
    // If zoomed out farther, the map's edges would lie outside most reference systems.
    const minZoom = get(crs)?.isGlobal() === true ? 0 : 1;
    map.setView(new View({ projection: crs, center: [0, 0], zoom: 2, minZoom }));
  };
  /**
   * Finds the first of these reference systems that can show the bounds: the present one if it is a model's, that of
   * a model there, Web Mercator, and (near a pole) degrees.
   */
  const systemFor = (bounds: Bounds): string => {
    const [west, south, east, north] = bounds;
    const covering = findModelsAt(models, [(west + east) / 2, (south + north) / 2]);
    const own = models.filter(({ grid }) => grid.crs === projected);
    const systems = [...own, ...covering].map(({ grid }) => grid.crs);
    return [...systems, 'EPSG:3857'].find((crs) => showsAll(get(crs), bounds)) ?? 'EPSG:4326';
  };

  let fitted: { readonly bounds: Bounds; readonly view: string } | null = null;
  const fit = (bounds: Bounds | null) => {
    if (bounds === null) return;
    project(systemFor(bounds));
    map.getView().fit([...bounds], {
      padding: PADDING,
      maxZoom: 24,
      size: map.getSize() ?? [600, 400],
    });
    fitted = { bounds, view: describeView(map) };
  };
  const projectLike = (model: Model) => {
    if (projected === model.grid.crs) return;
    project(model.grid.crs);
    fit(coverageOf(model));
  };
  // The map has no size before the page shows it. Keep the fitted bounds in view until the user moves the map.
  new ResizeObserver(() => {
    // A page without a map hides it.
    if (element.clientWidth === 0) return;
    map.updateSize();
    if (fitted?.view === describeView(map)) fit(fitted.bounds);
  }).observe(element);
  const [first] = models;
  if (first !== undefined) projectLike(first);
  const onPoint: SoilMap['onPoint'] = (listener) => {
    const point = ({ pixel, coordinate }: MapBrowserEvent) => {
      const [lon = Number.NaN, lat = Number.NaN] = coordinate;
      listener({ pixel, lon, lat });
    };
    const keys = [map.on('pointermove', point), map.on('click', point)];
    return () => unByKey(keys);
  };
  const onFrame: SoilMap['onFrame'] = (listener) => {
    // A hidden map has no frame.
    const key = map.on('postrender', ({ frameState }) => {
      if (frameState !== null) listener();
    });
    return () => unByKey(key);
  };
  return { element, map, projectLike, fit, onPoint, onFrame };
}

function describeView(map: OpenLayersMap): string {
  const view = map.getView();
  return `${view.getCenter()} ${view.getResolution()}`;
}
