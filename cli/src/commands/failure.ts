import { SoilError } from 'soil-batch-client';
import { CliError, EXIT } from '../exit-code.ts';
import { FieldsError } from '../fields/fields-error.ts';

/** The error as one sentence for a person, and an exit code. */
export function failureOf(error: unknown, signal: AbortSignal): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof FieldsError) return new CliError(error.message);
  if (signal.aborted) {
    return new CliError('interrupted; the same command continues', EXIT.interrupted);
  }
  if (error instanceof SoilError) return serviceFailure(error);
  if (error instanceof Error) return new CliError(systemFailure(error));
  return new CliError(String(error));
}

function serviceFailure(error: SoilError): CliError {
  switch (error.type) {
    case 'quota-exceeded':
      return new CliError(
        `${error.message} The same command continues tomorrow (UTC).`,
        EXIT.quota,
      );
    case 'unauthorized':
      return new CliError('the service rejects the API key: it is unknown, expired or revoked');
    case 'forbidden':
      return new CliError('the service refuses access: the tenant of this API key is disabled');
    default:
      return new CliError(error.message);
  }
}

/** What the system reports most when files are written. */
const SYSTEM_FAILURES: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: free some space; the same command continues',
  EDQUOT: 'your quota on this disk is used up: free some space; the same command continues',
  EROFS: 'the disk is read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
};

function systemFailure(error: NodeJS.ErrnoException): string {
  const known = SYSTEM_FAILURES[error.code ?? ''];
  if (known === undefined) return `${error.message} (DEBUG=1 shows the stack)`;
  return error.path === undefined ? known : `${error.path}: ${known}`;
}
