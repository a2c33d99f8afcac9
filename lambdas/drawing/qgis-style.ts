import { formatHexColour, RAMP_STOPS } from '#engine/display/colour-ramp.ts';
import { formatUnit } from '#engine/display/unit-text.ts';
import { chooseDisplayRange, type DisplayRange } from '#engine/model/display-range.ts';
import type { Band, Manifest } from '#engine/model/pack/manifest.ts';
import { unitOf } from '#engine/model/pack/property.ts';
import { type Html, html } from './html.ts';

/**
 * Shows one band in pseudo-colour. Without a style, QGIS shows a raster with more than two bands as a colour composite.
 */
export function qgisStyle(
  manifest: Manifest,
  band: Band,
  range: DisplayRange | null = chooseDisplayRange(manifest, band),
): string {
  const number = manifest.bands.indexOf(band) + 1;
  const unit = formatUnit(unitOf(manifest, band));
  const [low, high] = range ?? PLACEHOLDER_RANGE;
  const style = html`<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis version="3.22.0" styleCategories="Symbology">
 <pipe>
  <rasterrenderer type="singlebandpseudocolor" band="${number}" alphaBand="-1" opacity="1" nodataColor="" classificationMin="${low}" classificationMax="${high}">
   ${minMaxOrigin(range)}
   <rastershader>
    <colorrampshader colorRampType="INTERPOLATED" classificationMode="1" clip="0" minimumValue="${low}" maximumValue="${high}" labelPrecision="1">
     ${colourRamp()}
     ${RAMP_STOPS.map(({ fraction, colour }) => {
       const value = low + fraction * (high - low);
       const label = `${Number(value.toPrecision(4))} ${unit}`;
       return html`<item value="${value}" label="${label}" color="${formatHexColour(colour)}" alpha="255"/>
     `;
     })}<rampLegendSettings useContinuousLegend="1" minimumLabel="" maximumLabel="" prefix="" suffix="${` ${unit}`}" direction="0" orientation="2"/>
    </colorrampshader>
   </rastershader>
  </rasterrenderer>
 </pipe>
</qgis>
`;
  return style.html;
}

/** QGIS replaces it with the range of the values that it shows, because of {@link minMaxOrigin}. */
const PLACEHOLDER_RANGE: DisplayRange = [0, 1];

/** Without a range, makes QGIS stretch the colours to the values that the canvas shows. */
function minMaxOrigin(range: DisplayRange | null): Html {
  const [limits, extent] = range === null ? ['MinMax', 'UpdatedCanvas'] : ['None', 'WholeRaster'];
  return html`<minMaxOrigin><limits>${limits}</limits><extent>${extent}</extent><statAccuracy>Exact</statAccuracy></minMaxOrigin>`;
}

/** QGIS needs the colour ramp to let people change the range later. */
function colourRamp(): Html {
  const rgba = RAMP_STOPS.map(({ colour }) => [...colour, 255].join(','));
  const stops = RAMP_STOPS.slice(1, -1).map(({ fraction }, i) => `${fraction};${rgba[i + 1]}`);
  return html`<colorramp type="gradient" name="[source]">
      <prop k="color1" v="${rgba[0] ?? ''}"/>
      <prop k="color2" v="${rgba.at(-1) ?? ''}"/>
      <prop k="discrete" v="0"/>
      <prop k="rampType" v="gradient"/>
      <prop k="stops" v="${stops.join(':')}"/>
     </colorramp>`;
}
