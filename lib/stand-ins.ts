/** Packages that a bundle replaces by our own code (`docs/decisions/0019-bundles-carry-what-runs.md`). */
export const STAND_INS = {
  '@aws-sdk/credential-provider-node': './lambdas/adapters/role-credentials.ts',
};
