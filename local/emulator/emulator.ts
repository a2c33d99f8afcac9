import { type EmulatorOptions, startMiniStack } from './ministack.ts';

/** The emulator's only account, and the region everything local is deployed to. */
const ACCOUNT_ID = '000000000000';
const DEFAULT_REGION = 'us-east-1';

/**
 * MiniStack's root caller. It is built in and known to everybody, which is why the emulator listens on
 * the loopback address only. Everything else signs with credentials of its own, under IAM.
 */
export const ROOT_CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' } as const;

/** A running AWS emulator. */
export interface Emulator {
  readonly endpointUrl: string;
  readonly region: string;
  readonly accountId: string;
  /** Where the emulator and its functions write; absent when it was started by someone else. */
  readonly logFile: string | undefined;
  /** Of the emulator itself: its functions are its children; absent as above. */
  readonly processId: number | undefined;
  /** Ends the emulator and its functions; does nothing to one that was started by someone else. */
  stop(): Promise<void>;
}

/**
 * Starts a fresh emulator with IAM enforced, or takes the one that `AWS_ENDPOINT_URL` names.
 *
 * @throws PortInUse when something else listens on the wanted port
 * @throws Error when the emulator does not become healthy; the message ends with its last log lines
 */
export async function obtainEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const given = process.env['AWS_ENDPOINT_URL'];
  const place = { region: DEFAULT_REGION, accountId: ACCOUNT_ID };
  if (given !== undefined && given !== '') {
    const endpointUrl = new URL(given).origin;
    return {
      ...place,
      endpointUrl,
      logFile: undefined,
      processId: undefined,
      stop: async () => {},
    };
  }
  return { ...place, ...(await startMiniStack(options)) };
}

/** What a configuration for the AWS SDK needs to reach the emulator as its root caller. */
export function clientConfiguration(emulator: Pick<Emulator, 'endpointUrl' | 'region'>): {
  readonly endpoint: string;
  readonly region: string;
  readonly credentials: typeof ROOT_CREDENTIALS;
} {
  const { endpointUrl: endpoint, region } = emulator;
  return { endpoint, region, credentials: ROOT_CREDENTIALS };
}

/**
 * The environment that makes any AWS tool talk to the emulator, as its root caller and with nothing
 * of the developer's own AWS set-up: no profile, no session, no configuration file.
 */
export function awsEnvironment(emulator: Emulator): Record<string, string> {
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
