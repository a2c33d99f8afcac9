import Feature from 'ol/Feature.js';
import type Geometry from 'ol/geom/Geometry.js';
import VectorImageLayer from 'ol/layer/VectorImage.js';
import OpenLayersMap from 'ol/Map.js';
import type Projection from 'ol/proj/Projection.js';
import VectorSource from 'ol/source/Vector.js';
import Fill from 'ol/style/Fill.js';
import Stroke from 'ol/style/Stroke.js';
import Style from 'ol/style/Style.js';
import View from 'ol/View.js';
import { h } from '../element.ts';
import { findOutlines } from './land-outlines.ts';
import { domainOf } from './projections.ts';
import { onTheme, readColour } from './theme.ts';

/**
 * Land is not drawn below this many metres per pixel: Natural Earth's coasts and borders, made for maps at
 * 1:50,000,000, are kilometres off and would run through fields.
 */
const FINEST_M = 150;
/** Metres per pixel of the locator at the equator. */
const LOCATOR_M = 40_000;

/** Adds land, sea and borders below everything else and, for close views, a small map that marks the place. */
export function addLand(map: OpenLayersMap): void {
  const land = landLayer();
  const project = () => land.project(map.getView().getProjection());
  project();
  map.addLayer(land.layer);
  map.on('change:view', project);
  addLocator(map);
}

function landLayer() {
  const source = new VectorSource();
  // Land lies below a background, whichever is added first.
  const layer = new VectorImageLayer({ source, style: chooseStyle, zIndex: -4 });
  onTheme(() => layer.changed());
  return {
    layer,
    project(projection: Projection) {
      const { sea, land, border } = findOutlines(domainOf(projection));
      source.clear();
      source.addFeatures([
        makeFeature('sea', sea),
        makeFeature('land', land),
        makeFeature('border', border),
      ]);
      layer.setMinResolution(FINEST_M / metresPerUnit(projection));
    },
  };
}

function addLocator(map: OpenLayersMap): void {
  const element = h('div', { class: 'locator', 'aria-hidden': 'true' });
  // The element is not an OpenLayers control, because a control would take clicks.
  map.getTargetElement()?.append(element);
  const { layer, project } = landLayer();
  const view = new View({ projection: 'EPSG:3857', resolution: LOCATOR_M, center: [0, 0] });
  project(view.getProjection());
  new OpenLayersMap({ target: element, controls: [], interactions: [], layers: [layer], view });
  const follow = () => {
    const main = map.getView();
    const metres = (main.getResolution() ?? 0) * metresPerUnit(main.getProjection());
    element.hidden = metres >= FINEST_M;
    view.setCenter(main.getCenter());
  };
  map.on('moveend', follow);
  follow();
}

type Kind = 'sea' | 'land' | 'border';

function makeFeature(kind: Kind, geometry: Geometry): Feature {
  const feature = new Feature(geometry);
  feature.set('kind', kind);
  return feature;
}

function chooseStyle(feature: { get(name: string): Kind }): Style {
  const kind = feature.get('kind');
  const color = readColour(kind);
  return kind === 'border'
    ? new Style({ stroke: new Stroke({ color, width: 1 }), zIndex: 2 })
    : new Style({ fill: new Fill({ color }), zIndex: kind === 'sea' ? 0 : 1 });
}

function metresPerUnit(projection: Projection): number {
  return projection.getMetersPerUnit() ?? 1;
}
