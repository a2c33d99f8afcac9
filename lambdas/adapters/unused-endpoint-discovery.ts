/**
 * Stands in bundles for `@aws-sdk/middleware-endpoint-discovery`: DynamoDB's client carries it and
 * leaves it off unless it is asked for, which nothing here does.
 */
export function resolveEndpointDiscoveryConfig<Config>(config: Config): Config {
  return config;
}

export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => undefined,
  configFileSelector: () => undefined,
  default: undefined,
};
