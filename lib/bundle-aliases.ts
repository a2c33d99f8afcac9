/** Packages that bundles replace with a file of this project (`docs/decisions/0019-bundles-hold-packages-as-published-with-one-alias.md`). */
export const BUNDLE_ALIASES = {
  '@aws-sdk/credential-provider-node': './lambdas/adapters/role-credentials.ts',
};
