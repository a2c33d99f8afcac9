// Stands in bundles for `@smithy/core/config`, by which the SDK also looks for configuration in files of
// a home folder and at an instance's metadata: Lambda has neither, and sets its region itself. Node's
// loader never reads this file, only a bundler: hence the paths.
import { chain, memoize } from '../../node_modules/@smithy/core/dist-es/submodules/config/index.js';
import { fromEnv } from '../../node_modules/@smithy/core/dist-es/submodules/config/node-config-provider/fromEnv.js';
import { fromStatic } from '../../node_modules/@smithy/core/dist-es/submodules/config/node-config-provider/fromStatic.js';

export * from '../../node_modules/@smithy/core/dist-es/submodules/config/index.js';

/** As the SDK's own, without the files between: what the environment says, or else the default. */
export function loadConfig(options, { signingName, logger } = {}) {
  const { environmentVariableSelector, default: otherwise } = options;
  return memoize(
    chain(fromEnv(environmentVariableSelector, { signingName, logger }), fromStatic(otherwise)),
  );
}

export const NODE_REGION_CONFIG_OPTIONS = {
  environmentVariableSelector: (env) => env.AWS_REGION,
  default: () => {
    throw new Error('AWS_REGION is not set: this is no Lambda');
  },
};

/** Nothing here asks for other defaults than the SDK's first ones. */
export function resolveDefaultsModeConfig() {
  return async () => 'legacy';
}
