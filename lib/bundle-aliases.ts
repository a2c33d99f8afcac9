/** Packages that bundles replace with a file of this project (`docs/decisions/0019-bundles-carry-what-runs.md`). */
export const BUNDLE_ALIASES = {
  '@aws-sdk/credential-provider-node': './lambdas/adapters/role-credentials.ts',
};
