import { type Html, html } from '#engine/markup/html.ts';
import { INK, text } from './text.ts';

/** A bar of a round length (1, 2 or 5 × 10ⁿ metres), at most `width` pixels long. */
export function scaleBar(
  { x, y, width }: { readonly x: number; readonly y: number; readonly width: number },
  metresPerPixel: number,
): Html {
  const longest = width * metresPerPixel;
  const power = 10 ** Math.floor(Math.log10(longest));
  const metres = [5, 2, 1].map((factor) => factor * power).find((m) => m <= longest) ?? power;
  const pixels = metres / metresPerPixel;
  return html`<path d="M${x} ${y - 6}v6h${pixels}v-6" fill="none" stroke="${INK}" stroke-width="1.5"/>
${text(x, y + 18, lengthText(metres), { size: 12 })}`;
}

function lengthText(metres: number): string {
  if (metres >= 1000) return `${metres / 1000} km`;
  return metres >= 1 ? `${metres} m` : `${Number((metres * 100).toPrecision(6))} cm`;
}
