import {
  TOLERATED_INAPPLICABLE_SHARE,
  TOLERATED_OUTSIDE_SHARE,
} from '#engine/model/trained-values.ts';
import { isRetryable, type JobErrorCode, type JobWarning } from '../../../domain/job/job.ts';
import { TOLERATED_SHARE } from '../../../domain/job/reading/job-view.ts';
import { LIMITS, QUEUE_DAYS } from '../../../domain/limits.ts';
import { groupedDigits, table } from './markdown.ts';

const ERRORS: Readonly<Record<JobErrorCode, string>> = {
  geometry_malformed: 'coordinates violate GeoJSON (RFC 7946)',
  geometry_type_not_supported:
    'not a `Polygon`, a `MultiPolygon` or a `Feature` of one (of a FeatureCollection send one job per Feature)',
  geometry_self_intersection: 'a ring crosses or touches itself',
  geometry_rings_cross: 'two rings cross',
  geometry_hole_outside_shell: 'a hole lies outside its outer ring',
  geometry_rings_overlap: 'two parts or two holes overlap',
  geometry_interior_cut: 'holes cut the interior apart: send two polygons',
  ring_not_closed: 'a ring’s last position differs from its first',
  coordinates_out_of_range: 'not degrees of longitude and latitude; perhaps projected coordinates',
  crs_not_supported: 'the `crs` field names a system other than WGS 84',
  too_many_vertices: `more than ${groupedDigits(LIMITS.verticesPerJob)} vertices`,
  area_over_limit: `more than ${groupedDigits(LIMITS.hectaresPerJob)} ha of charged area: the largest of ground area, perimeter × ${LIMITS.chargedWidthMetres} m and ${LIMITS.chargedSquareMetresPerRing} m² per ring`,
  outside_coverage: 'no deployed model covers the polygon',
  year_not_covered: `no model that covers the polygon has a map for this year, or it is not from ${LIMITS.years.first} to ${LIMITS.years.last}`,
  model_unknown: 'no deployed model has this name',
  too_many_grid_crossings: `the outline crosses over ${groupedDigits(LIMITS.gridCrossingsPerJob)} lines of the model’s grid`,
  too_many_patch_batches: `more than ${LIMITS.patchBatchesPerJob} patch-batches: split the polygon`,
  raster_too_large: `distant parts make a raster of more than ${groupedDigits(LIMITS.tilesPerRaster)} tiles`,
  no_valid_cells: 'no cell in the polygon has all covariates',
  covariate_unavailable: 'a covariate could not be read',
  model_invalid:
    'the deployed model is broken, and the operator must repair it; refunded within a daily bound',
  cancelled:
    'the batch was cancelled; refunded, within a daily bound, if the job was not planned yet',
  deadline: `the batch ran out of time, or waited for ${QUEUE_DAYS} days without being started`,
  internal: 'a fault of the service',
};

const WARNINGS: Readonly<Record<JobWarning['code'], string>> = {
  static_model: 'one map for all years: `year` has no effect, `data_period` says what it shows',
  smaller_than_cell:
    'the polygon, or the parts named, contain no cell centre and get every cell they touch',
  cells_without_data: 'some cells in the polygon lack a covariate and are nodata',
  partly_outside_coverage:
    'part of the polygon lies outside the model’s coverage (its edge is inside)',
  partly_outside_grid: 'part of the polygon lies outside the model’s raster and has no cells',
  properties_dropped: `the \`properties\` of the Feature are larger than ${LIMITS.propertiesBytes} bytes (\`properties_bytes\`)`,
  interval_unavailable:
    "the model declares no correlation of its errors, or errors too large to add up, so the job's `summary` has no interval",
  impossible_values: `more than ${TOLERATED_SHARE * 100} % of the cells, or the mean of the polygon, have a value that the property cannot have, such as a negative density; such a mean has no stock`,
  means_outside_bounds: `more than ${TOLERATED_SHARE * 100} % of the cells have a mean outside their own bounds`,
  outside_training: `in more than ${TOLERATED_OUTSIDE_SHARE * 100} % of the cells a covariate lies outside what the model was trained on (\`outside_share\`)`,
  outside_applicability: `more than ${TOLERATED_INAPPLICABLE_SHARE * 100} % of the cells are unlike all that the model was trained on (\`outside_applicability_share\`)`,
};

/** The meanings of two enums, by the name of their schema. */
export const CODE_TABLES: Readonly<Record<string, string>> = {
  JobErrorCode: table(
    ['code', 'meaning', 'retryable'],
    (Object.keys(ERRORS) as JobErrorCode[]).map((code) => [
      `\`${code}\``,
      ERRORS[code],
      isRetryable(code) ? 'yes' : 'no',
    ]),
  ),
  JobWarningCode: table(
    ['code', 'meaning'],
    Object.entries(WARNINGS).map(([code, meaning]) => [`\`${code}\``, meaning]),
  ),
};
