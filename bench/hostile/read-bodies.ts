import { LIMITS } from '../../lambdas/domain/limits.ts';
import { fillBody, type HostileBody } from './bodies.ts';

const COORDINATES = '[[[5.72,50.96],[5.721,50.96],[5.721,50.961],[5.72,50.96]]]';
const GEOMETRY = `{"type":"Polygon","coordinates":${COORDINATES}}`;

interface NamedJob {
  readonly name: string;
  readonly year: number;
}

function writeNamedJobs(jobs: readonly NamedJob[]): string {
  const texts = jobs.map(
    ({ name, year }) => `{"name":${JSON.stringify(name)},"year":${year},"polygon":${GEOMETRY}}`,
  );
  return `{"name":"b","jobs":[${texts.join(',')}]}`;
}

const sameName = (name: string): string =>
  writeNamedJobs(Array.from({ length: LIMITS.jobsPerBatch }, () => ({ name, year: 2024 })));

/** Writes names such that each job's numbered download name is the plain name of the job before it. */
function writeChain(): string {
  const room = 100 - 'b_.tif'.length;
  const jobs: NamedJob[] = [];
  let last: NamedJob = { name: 'x'.repeat(room), year: 2024 };
  for (let index = LIMITS.jobsPerBatch - 1; index >= 0; index -= 1) {
    jobs.unshift(last);
    if (index === LIMITS.jobsPerBatch - 1) continue;
    const end = `_${last.year}_${index}`;
    last = { name: `${last.name.slice(0, room - end.length)}_${last.year}`, year: index };
  }
  return writeNamedJobs(jobs);
}

/** Writes a field that the service does not read. */
const field = (index: number): string => `"-${index.toString(36)}":1`;
const spaces = ' '.repeat(LIMITS.bodyBytes - 1_000);

/** Writes a position with white space around each of its tokens. */
const spacedPosition = (index: number): string => ` [ ${(index % 100) / 100} , 50.5 ] `;

/**
 * Writes squares at a number of places a few hundred metres apart. At each place, squares are shifted by about a metre.
 */
function writeSquares(jobs: number, hectares: number, places: number): string {
  const edge = Math.sqrt(hectares * 10_000) / 111_000;
  const texts = Array.from({ length: jobs }, (_, i) => {
    const place = i % places;
    const west = 5.72 + (place % 10) * 0.004 + Math.floor(i / places) * 0.00002;
    const south = 50.955 + Math.floor(place / 10) * 0.004;
    const [east, north] = [west + edge * 1.6, south + edge];
    const ring = [west, south, east, south, east, north, west, north, west, south];
    const corners = ring.map((value) => value.toFixed(6));
    const positions = [0, 2, 4, 6, 8].map((at) => `[${corners[at]},${corners[at + 1]}]`);
    return `{"polygon":{"type":"Polygon","coordinates":[[${positions.join(',')}]]},"year":2024}`;
  });
  return `{"jobs":[${texts.join(',')}]}`;
}

export function listReadBodies(): readonly HostileBody[] {
  const feature = `"type":"Feature","geometry":${GEOMETRY}`;
  const properties = `{"a":"${'ü'.repeat(LIMITS.propertiesBytes / 2 - 4)}"}`;
  const withProperties = `{"name":"${'ü'.repeat(LIMITS.nameCharacters)}","year":2024,"properties":${properties},"polygon":${GEOMETRY}}`;
  return [
    { name: 'names that depend on each other', text: writeChain() },
    { name: 'names that expand most', text: sameName('\u{FDFA}'.repeat(LIMITS.nameCharacters)) },
    {
      name: 'names that consist of dots',
      text: sameName(`a${'.'.repeat(LIMITS.nameCharacters - 2)}b`),
    },
    {
      name: 'long names and properties',
      text: `{"jobs":[${Array.from({ length: LIMITS.jobsPerBatch }, () => withProperties).join(',')}]}`,
    },
    {
      name: 'foreign fields of a Feature',
      text: fillBody(`{"jobs":[{"polygon":{${feature},`, field, '},"year":2024}]}'),
    },
    {
      name: 'foreign fields of a geometry',
      text: fillBody(
        `{"jobs":[{"polygon":{"type":"Polygon","coordinates":${COORDINATES},`,
        field,
        '},"year":2024}]}',
      ),
    },
    {
      name: 'large properties of a Feature',
      text: fillBody(`{"jobs":[{"polygon":{${feature},"properties":{`, field, '}},"year":2024}]}'),
    },
    {
      name: 'white space in a job',
      text: `{"jobs":[{${spaces}"polygon":${GEOMETRY},"year":2024}]}`,
    },
    {
      name: 'white space in coordinates',
      text: `{"jobs":[{"polygon":{"type":"Polygon","coordinates":[${spaces}${COORDINATES.slice(1)}},"year":2024}]}`,
    },
    {
      name: 'white space around numbers, too many vertices',
      text: `{"jobs":[{"polygon":{"type":"Polygon","coordinates":[[${Array.from({ length: 160_000 }, (_, i) => spacedPosition(i)).join(',')}]]},"year":2024}]}`,
    },
    {
      name: 'objects in a position',
      text: fillBody(
        '{"jobs":[{"polygon":{"type":"Polygon","coordinates":[[[5.72,50.96,',
        (index) => `{${field(index)}}`,
        `${COORDINATES.slice('[[[5.72,50.96'.length)}},"year":2024}]}`,
      ),
    },
    { name: 'squares of 10 ha, ten at each of 97 places', text: writeSquares(970, 10, 97) },
    { name: 'overlapping squares of 200 ha', text: writeSquares(120, 200, 1) },
    {
      name: 'metadata',
      text: `{"metadata":{"a":"${'a'.repeat(LIMITS.metadataBytes - 10)}"},"jobs":[{"polygon":${GEOMETRY},"year":2024}]}`,
    },
  ];
}
