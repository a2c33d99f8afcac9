/**
 * Replaces the SDK's credential chain in bundles (`@aws-sdk/credential-provider-node`: files, single
 * sign-on, web identities, instance metadata), which is 136 kB of a function's code. Lambda passes the
 * role's session in these variables, new for each container: "Defined runtime environment variables",
 * Lambda Developer Guide.
 */
export function defaultProvider(): () => Promise<{
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string;
}> {
  return async () => ({
    accessKeyId: variable('AWS_ACCESS_KEY_ID'),
    secretAccessKey: variable('AWS_SECRET_ACCESS_KEY'),
    sessionToken: variable('AWS_SESSION_TOKEN'),
  });
}

function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is not set; Lambda sets it`);
  return value;
}
