import { type EmulatorOptions, startMiniStack } from './ministack.ts';

/** The emulator's only account. */
const ACCOUNT_ID = '000000000000';
const DEFAULT_REGION = 'us-east-1';

/**
 * MiniStack's built-in root credentials. They are public, so the emulator listens only on the loopback address. All
 * other callers have their own credentials, restricted by IAM.
 */
export const ROOT_CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' } as const;

export interface Emulator {
  readonly endpointUrl: string;
  readonly region: string;
  readonly accountId: string;
  /** The log of the emulator and its functions; undefined if another process started the emulator. */
  readonly logFile: string | undefined;
  /** The emulator's process, whose children are its functions; undefined if another process started the emulator. */
  readonly processId: number | undefined;
  /** Stops the emulator and its functions, unless another process started it. */
  stop(): Promise<void>;
}

/**
 * Starts a new emulator with IAM enforced, or uses the one that `AWS_ENDPOINT_URL` names.
 * @throws PortInUse if another process listens on the requested port
 * @throws Error if the emulator does not become healthy; the message ends with its last log lines
 */
export async function obtainEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const given = process.env['AWS_ENDPOINT_URL'];
  const account = { region: DEFAULT_REGION, accountId: ACCOUNT_ID };
  if (given !== undefined && given !== '') {
    const endpointUrl = new URL(given).origin;
    return {
      ...account,
      endpointUrl,
      logFile: undefined,
      processId: undefined,
      stop: async () => {},
    };
  }
  return { ...account, ...(await startMiniStack(options)) };
}

export function configureClient(emulator: Pick<Emulator, 'endpointUrl' | 'region'>): {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: typeof ROOT_CREDENTIALS;
} {
  const { endpointUrl: endpoint, region } = emulator;
  return { endpoint, region, credentials: ROOT_CREDENTIALS };
}

/**
 * Returns environment variables with which any AWS tool uses the emulator and its root credentials, and ignores the
 * developer's AWS profile, session and configuration files.
 */
export function buildAwsEnvironment(emulator: Emulator): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !entry[0].startsWith('AWS_'),
  );
  return {
    ...Object.fromEntries(inherited),
    AWS_ENDPOINT_URL: emulator.endpointUrl,
    AWS_REGION: emulator.region,
    AWS_DEFAULT_REGION: emulator.region,
    AWS_ACCESS_KEY_ID: ROOT_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: ROOT_CREDENTIALS.secretAccessKey,
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DEFAULT_ACCOUNT: emulator.accountId,
    CDK_DEFAULT_REGION: emulator.region,
    NO_PROXY: '127.0.0.1,localhost',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  };
}
