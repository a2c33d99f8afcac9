import Feature from 'ol/Feature.js';
import GeoJSON from 'ol/format/GeoJSON.js';
import Point from 'ol/geom/Point.js';
import VectorLayer from 'ol/layer/Vector.js';
import VectorSource from 'ol/source/Vector.js';
import Fill from 'ol/style/Fill.js';
import Stroke from 'ol/style/Stroke.js';
import Style from 'ol/style/Style.js';
import Text from 'ol/style/Text.js';
import type { Model } from 'soil-batch-client';
import { boundsOf } from './bounds.ts';
import { onTheme, readColour } from './theme.ts';

const FORMAT = new GeoJSON();

/** Whether users may choose a model: not if it exists only to check deployments. */
export const isOffered = ({ for_checks }: Pick<Model, 'for_checks'>) => !for_checks;

/** The models that users may choose and that cover a place, in the order of `GET /v1/models`. */
export function findModelsAt(
  models: readonly Model[],
  [lon, lat]: readonly [lon: number, lat: number],
): readonly Model[] {
  return models
    .filter(isOffered)
    .filter(({ coverage }) => FORMAT.readGeometry(coverage).intersectsCoordinate([lon, lat]));
}

export function coverageLayer(all: readonly Model[]) {
  const models = all.filter(isOffered);
  const source = new VectorSource();
  for (const outline of new Set(models.map(outlineOf))) {
    const sharing = models.filter((model) => outlineOf(model) === outline);
    const feature = new Feature(FORMAT.readGeometry(outline));
    feature.set('label', sharing.map(({ title }) => breakLines(title)).join('\n'));
    feature.set('place', findTop(sharing));
    source.addFeature(feature);
  }
  const layer = new VectorLayer({ source, style: chooseStyles, declutter: true });
  onTheme(() => layer.changed());
  return layer;
}

const outlineOf = ({ coverage }: Model) => JSON.stringify(coverage);

/** OpenLayers does not break lines. */
const breakLines = (title: string) => title.replaceAll(/(.{1,40})(?:\s+|$)/g, '$1\n').trimEnd();

function findTop(models: readonly Model[]): Point {
  const [west, , east, north] = boundsOf(models.map(({ coverage }) => coverage)) ?? [0, 0, 0, 0];
  return new Point([(west + east) / 2, north]);
}

function chooseStyles(feature: { get(name: 'label'): string; get(name: 'place'): Point }): Style[] {
  const text = new Text({
    text: feature.get('label'),
    font: '600 12px system-ui, sans-serif',
    textBaseline: 'bottom',
    offsetY: -6,
    fill: new Fill({ color: readColour('text') }),
    stroke: new Stroke({ color: readColour('casing'), width: 3 }),
  });
  const outline = new Stroke({ color: readColour('coverage'), width: 2, lineDash: [6, 4] });
  return [new Style({ stroke: outline }), new Style({ geometry: feature.get('place'), text })];
}
