import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { listStackNames } from '../lib/stages.ts';
import { print, runCommand } from './operator/command.ts';
import { connectToStage, readOutputs, requireOutput } from './operator/stage-table.ts';
import {
  HELP,
  type Invoke,
  parseSigningKeyCommand,
  revokeSigningKey,
} from './signing-key/revoke.ts';

/**
 * Longer than the function's timeout, so that the command learns the outcome. The call is never repeated, because a
 * second call would revoke the new key.
 */
const CALL_MS = 15 * 60_000;

/** `npm run signing-key --` revokes a leaked signing key of a stage. */
await runCommand('signing-key', async () => {
  const command = parseSigningKeyCommand(process.argv.slice(2));
  if (command.kind === 'help') return console.log(HELP);
  const connection = await connectToStage(command.stage);
  const stack = listStackNames(command.stage).stateless;
  const FunctionName = requireOutput(
    await readOutputs(connection, stack),
    stack,
    'RotateSigningKeyName',
  );
  const client = new LambdaClient({
    ...connection,
    maxAttempts: 1,
    requestHandler: { requestTimeout: CALL_MS },
  });
  const invoke: Invoke = async (event) => {
    const { FunctionError, Payload } = await client.send(
      new InvokeCommand({ FunctionName, Payload: JSON.stringify(event) }),
    );
    return FunctionError === undefined ? null : new TextDecoder().decode(Payload);
  };
  print(await revokeSigningKey(invoke), command.json);
});
