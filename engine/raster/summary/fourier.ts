// `fourier-transform` (2.5.0) is slower, has no types and rounds differently.
import FFT from 'fft.js';

/** Complex numbers of a grid, row by row: real and imaginary parts in turn. */
export type ComplexGrid = Float64Array;

/** Discrete Fourier transforms of grids of one size, in place. Sizes are powers of two, at least 2. */
export interface Fourier {
  forward(grid: ComplexGrid): void;
  /** The inverse transform, divided by the number of elements. */
  inverse(grid: ComplexGrid): void;
}

export function createFourier(width: number, height: number): Fourier {
  const [rows, columns] = [new FFT(width), new FFT(height)];
  const row = new Float64Array(2 * width);
  const column = [new Float64Array(2 * height), new Float64Array(2 * height)] as const;
  type Direction = 'transform' | 'inverseTransform';

  function transformRows(grid: ComplexGrid, direction: Direction): void {
    for (let start = 0; start < grid.length; start += 2 * width) {
      const values = grid.subarray(start, start + 2 * width);
      // A row of zeros stays zero; the rows outside the nodes are such rows.
      if (values.every((value) => value === 0)) continue;
      rows[direction](row, values);
      values.set(row);
    }
  }

  function transformColumns(grid: ComplexGrid, direction: Direction): void {
    const [values, transformed] = column;
    for (let col = 0; col < 2 * width; col += 2) {
      for (let i = 0; i < 2 * height; i += 2) {
        values[i] = grid[i * width + col] ?? 0;
        values[i + 1] = grid[i * width + col + 1] ?? 0;
      }
      columns[direction](transformed, values);
      for (let i = 0; i < 2 * height; i += 2) {
        grid[i * width + col] = transformed[i] ?? 0;
        grid[i * width + col + 1] = transformed[i + 1] ?? 0;
      }
    }
  }

  return {
    forward(grid) {
      transformRows(grid, 'transform');
      transformColumns(grid, 'transform');
    },
    inverse(grid) {
      transformColumns(grid, 'inverseTransform');
      transformRows(grid, 'inverseTransform');
    },
  };
}
