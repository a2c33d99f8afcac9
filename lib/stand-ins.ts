/** Parts of packages that no function uses, and what stands for them: a cold start reads it all. */
export const STAND_INS = {
  '@aws-sdk/credential-provider-node': './lambdas/adapters/role-credentials.ts',
  '@aws-sdk/middleware-endpoint-discovery': './lambdas/adapters/unused-endpoint-discovery.ts',
  '@smithy/core/checksum': './lambdas/adapters/node-checksums.mjs',
  '@smithy/core/config': './lambdas/adapters/environment-config.mjs',
  '@smithy/core/event-streams': './lambdas/adapters/unused-event-streams.ts',
  mgrs: './lambdas/raster/grid/unread-definitions.ts',
  proj4: './lambdas/raster/grid/bundled-proj4.mjs',
  'robust-predicates': './node_modules/robust-predicates/esm/orient2d.js',
  'wkt-parser': './lambdas/raster/grid/unread-definitions.ts',
  'zod/v4/locales/en.js': './lambdas/model/pack/unworded.ts',
};
