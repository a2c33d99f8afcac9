import {
  TOLERATED_INAPPLICABLE_SHARE,
  TOLERATED_OUTSIDE_SHARE,
} from '#engine/model/trained-values.ts';
import { isRetryable, type JobErrorCode, type JobWarning } from '../../../domain/job/job.ts';
import { TOLERATED_SHARE } from '../../../domain/job/reading/job-view.ts';
import { LIMITS, QUEUE_DAYS } from '../../../domain/limits.ts';
import { groupedDigits, markdownTable } from './markdown.ts';

const ERRORS: Readonly<Record<JobErrorCode, string>> = {
  geometry_malformed: 'not a valid GeoJSON geometry (RFC 7946), or a ring that encloses no area',
  geometry_type_not_supported:
    'not a `Polygon`, a `MultiPolygon` or a `Feature` of one (for a FeatureCollection, send one job per Feature)',
  geometry_self_intersection: 'a ring crosses or touches itself',
  geometry_rings_cross: 'two rings cross or share part of an edge',
  geometry_hole_outside_shell: 'a hole lies outside its outer ring',
  geometry_rings_overlap: 'two parts or two holes overlap, or a hole lies in another part',
  geometry_interior_cut:
    'holes split the interior into separate parts; send a polygon for each part',
  ring_not_closed: 'a ring’s last position differs from its first',
  coordinates_out_of_range: 'not degrees of longitude and latitude; perhaps projected coordinates',
  crs_not_supported: 'the `crs` field names a system other than WGS 84',
  too_many_vertices: `more than ${groupedDigits(LIMITS.verticesPerJob)} vertices`,
  area_over_limit: `the charged area (the largest of ground area, perimeter × ${LIMITS.chargedWidthMetres} m and ${LIMITS.chargedSquareMetresPerRing} m² per ring) exceeds your tenant’s \`hectares_per_job\` (\`GET /v1/limits\`; by default ${groupedDigits(LIMITS.hectaresPerJob)})`,
  outside_coverage:
    'the polygon is outside the coverage or the raster of the requested model or, if none was requested, of every model that can be chosen automatically',
  year_not_covered: `the requested model or, if none was requested, every model that covers the polygon lacks a map for the year; or the year is not from ${LIMITS.years.first} to ${LIMITS.years.last}`,
  model_unknown: 'no deployed model has this name',
  too_many_grid_crossings: `the outline crosses lines of the model’s grid more than ${groupedDigits(LIMITS.gridCrossingsPerJob)} times`,
  too_many_patch_batches: `more than ${LIMITS.patchBatchesPerJob} patch-batches; split the polygon`,
  raster_too_large: `distant parts make a raster of more than ${groupedDigits(LIMITS.tilesPerRaster)} tiles`,
  no_valid_cells: 'no cell in the polygon has all covariates',
  covariate_unavailable: 'a covariate could not be read',
  model_invalid:
    'the deployed model is broken, or predicts a value that its rasters cannot hold, and the operator must repair it; refunded within a daily bound',
  cancelled:
    'the batch was cancelled; refunded, within a daily bound, if the job was not planned yet',
  deadline: `the batch ran out of time, or waited for ${QUEUE_DAYS} days without being started`,
  internal: 'a fault of the service',
};

const WARNINGS: Readonly<Record<JobWarning['code'], string>> = {
  static_model:
    'the model has one map for all years; `year` has no effect, and `data_period` says which years the data is from',
  smaller_than_cell:
    'the polygon has less area than a cell, or it (or the part that the message names) contains no cell centre; in this case, every cell that it touches is predicted',
  cells_without_data: 'some cells in the polygon lack a covariate and are nodata',
  partly_outside_coverage:
    'part of the polygon lies outside the model’s coverage (its edge counts as inside), where predictions may not be valid',
  partly_outside_grid: 'part of the polygon lies outside the model’s raster and has no cells',
  properties_dropped: `the \`properties\` of the Feature exceed \`properties_bytes\` or \`json_depth\` and were dropped`,
  interval_unavailable:
    "the job's `summary` has no interval, because the model does not declare how its prediction errors correlate, or because these errors are too large to add up",
  impossible_values: `more than ${TOLERATED_SHARE * 100} % of the cells, or the polygon’s mean, have a value that is impossible for the property, such as a negative density; if the mean is impossible, the job has no stock`,
  means_outside_bounds: `more than ${TOLERATED_SHARE * 100} % of the cells have a mean outside their own bounds`,
  outside_training: `in more than ${TOLERATED_OUTSIDE_SHARE * 100} % of the cells a covariate lies outside the range of the training data (\`outside_share\`)`,
  outside_applicability: `more than ${TOLERATED_INAPPLICABLE_SHARE * 100} % of the cells are unlike all training data (\`outside_applicability_share\`)`,
};

/** By schema name. */
export const CODE_TABLES: Readonly<Record<string, string>> = {
  JobErrorCode: markdownTable(
    ['code', 'meaning', 'retryable'],
    (Object.keys(ERRORS) as JobErrorCode[]).map((code) => [
      `\`${code}\``,
      ERRORS[code],
      isRetryable(code) ? 'yes' : 'no',
    ]),
  ),
  JobWarningCode: markdownTable(
    ['code', 'meaning'],
    Object.entries(WARNINGS).map(([code, meaning]) => [`\`${code}\``, meaning]),
  ),
};
