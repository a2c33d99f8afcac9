export const PASTE = {
  open: 'Paste fields',
  label: 'GeoJSON, or corners of a field',
  hint: 'A corner on each line, its longitude before its latitude, such as “5.7345, 50.9665”. An empty line starts another field.',
  add: 'Add',
  text: 'The text',
  corner: (line: number) =>
    `Line ${line} is no corner: write a longitude from -180 to 180 and a latitude from -90 to 90, in degrees with a decimal point.`,
  few: (line: number) => `The field that starts on line ${line} has fewer than 3 corners.`,
} as const;
