/** The edge of a grid's cell in the unit of its CRS: `10 m`, `0.00208333°`. Of an overview with its reduction. */
export function cellSizeText(
  { cell_size, crs_proj4 }: { readonly cell_size: number; readonly crs_proj4: string },
  reduction = 1,
): string {
  const size = Number((cell_size * reduction).toPrecision(6));
  if (/\+proj=longlat\b/.test(crs_proj4)) return `${size}°`;
  return /\+units=m\b/.test(crs_proj4) ? `${size} m` : `${size}`;
}
