import { LIMITS } from '../../lambdas/domain/limits.ts';
import { createRandom } from '../random.ts';
import {
  comb,
  type HostileBody,
  nearlyOneLine,
  type Outline,
  separateTriangles,
  spiral,
  star,
  toMultiPolygon,
  writeJobs,
  zigzag,
} from './bodies.ts';

type Random = () => number;

/** Draws a log-uniform magnitude. */
const drawMagnitude = (random: Random, least: number, most: number): number =>
  least * (most / least) ** random();

const drawItem = <Item>(random: Random, items: readonly [Item, ...Item[]]): Item =>
  items[Math.floor(random() * items.length)] ?? items[0];

/** Draws a star-shaped outline: corners at random distances and increasing angles. */
function drawRays(vertices: number, random: Random): Outline {
  return Array.from({ length: vertices - 1 }, (_, i) => {
    const [angle, radius] = [(2 * Math.PI * i) / (vertices - 1), 0.1 + random()];
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  });
}

/** Draws a walk with steps in all directions, which nearly always crosses itself. */
function drawWalk(vertices: number, random: Random): Outline {
  let [lon, lat] = [0, 0];
  return Array.from({ length: vertices - 1 }, () => {
    [lon, lat] = [lon + random() - 0.5, lat + random() - 0.5];
    return [lon, lat];
  });
}

/** Draws triangles in random places, many of which overlap. */
function drawTriangles(vertices: number, random: Random): readonly Outline[] {
  return Array.from({ length: Math.floor(vertices / 4) }, () => {
    const [lon, lat] = [60 * random(), 30 * random()];
    return [
      [lon, lat],
      [lon + random(), lat],
      [lon, lat + random()],
    ];
  });
}

type Shape = (vertices: number, random: Random) => readonly Outline[];

const SHAPES: readonly [readonly [string, Shape], ...(readonly [string, Shape])[]] = [
  ['zigzags', (vertices) => [zigzag(vertices)]],
  ['edges nearly on one line', (vertices) => [nearlyOneLine(vertices)]],
  ['combs', (vertices) => [comb(vertices)]],
  ['spirals', (vertices) => [spiral(vertices)]],
  ['triangles that touch in one point', star],
  ['triangles', separateTriangles],
  ['rays', (vertices, random) => [drawRays(vertices, random)]],
  ['walks', (vertices, random) => [drawWalk(vertices, random)]],
  ['triangles anywhere', drawTriangles],
];

/**
 * Moves the outlines to another place, over the default pack's grid or elsewhere, and changes their size and
 * resolution.
 */
function moveOutlines(outlines: readonly Outline[], random: Random): readonly Outline[] {
  const [west, south] = random() < 0.5 ? [5.73, 50.96] : [random() * 100, random() * 40];
  const size = drawMagnitude(random, 1e-6, 1);
  const decimals = Math.floor(4 + random() * 12);
  const roundCoordinate = (value: number): number => Number(value.toFixed(decimals));
  return outlines.map((outline) =>
    outline.map(([lon, lat]) => [
      roundCoordinate(west + lon * size),
      roundCoordinate(south + lat * size),
    ]),
  );
}

/** Draws further fields of a geometry; no schema lists them. */
function drawForeignFields(random: Random): object {
  const count = drawItem(random, [0, 0, 10, 1_000]);
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i}\u00e9`, [[i]]]));
}

export function createRandomBody(seed: number): HostileBody {
  const random = createRandom(seed);
  const [shape, draw] = drawItem(random, SHAPES);
  const vertices = Math.floor(drawMagnitude(random, 6, LIMITS.verticesPerJob));
  const outlines = moveOutlines(draw(vertices, random), random);
  const geometry = { ...toMultiPolygon(outlines), ...drawForeignFields(random) };
  return {
    name: `seed ${seed}: ${shape}, ${vertices} vertices`,
    text: writeJobs(vertices, geometry),
  };
}
