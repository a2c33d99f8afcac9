import type { RemoteSources } from '#engine/model/pack/pack-files.ts';
import { messageOf } from '../../engine/errors/message-of.ts';
import { readUsablePacks } from '../../lib/build/model-packs.ts';
import { requireDeployable } from '../../lib/config/deployable.ts';
import type { StageConfig } from '../../lib/config/stage-config.ts';
import type { Connection } from '../operator/stage-table.ts';
import { checkBootstrap, readBootstrap } from './bootstrap.ts';
import { checkCertificate, listDomains, readCertificate } from './certificates.ts';
import { checkConcurrency, readConcurrency } from './concurrency.ts';
import { type Finding, runCheck, type Verdict } from './finding.ts';
import { checkLogRole, readLogRole } from './log-role.ts';
import { checkForbidden, readForbidden } from './signing-user.ts';

/** The checks only read. */
export function checkAccount(
  connection: Connection & { readonly region: string },
  config: StageConfig,
  remote: RemoteSources,
): Promise<readonly Finding[]> {
  return Promise.all([
    runCheck('configuration', () => checkConfiguration(config, connection.region)),
    runCheck('model packs', () => checkPacks(config, remote)),
    runCheck('CDK bootstrap', async () => checkBootstrap(await readBootstrap(connection))),
    runCheck('Lambda concurrency', async () =>
      checkConcurrency(config, await readConcurrency(connection, config.stage)),
    ),
    runCheck('API Gateway log role', async () =>
      checkLogRole(config, await readLogRole(connection)),
    ),
    runCheck('signing user', async () =>
      checkForbidden(await readForbidden(connection, config.stage)),
    ),
    ...listDomains(config).map(({ version, host, certificateArn }) =>
      runCheck(`certificate of ${version}`, async () =>
        checkCertificate(
          { host, certificateArn },
          await readCertificate(connection, certificateArn),
        ),
      ),
    ),
  ]);
}

export function checkConfiguration(config: StageConfig, region: string): Verdict {
  try {
    requireDeployable(config, region);
  } catch (error) {
    return { verdict: 'wrong', says: messageOf(error) };
  }
  const { topicArn, email = 'none' } = config.alarms;
  const recipient = topicArn ?? email;
  if (recipient === 'none') {
    return {
      verdict: 'fine',
      says: 'no one is notified of alarms; they appear only in CloudWatch',
    };
  }
  return { verdict: 'fine', says: `alarms notify ${recipient}` };
}

async function checkPacks(config: StageConfig, remote: RemoteSources): Promise<Verdict> {
  try {
    if (config.modelPacks.length === 0)
      return { verdict: 'wrong', says: 'no pack is chosen; run npm run pack-add' };
    const { packs, unchecked } = await readUsablePacks(config, remote);
    const refs = packs.map(({ ref }) => ref).join(', ');
    if (unchecked.length === 0) return { verdict: 'fine', says: refs };
    return { verdict: 'unseen', says: `${refs}; not checked: ${unchecked.join('; ')}` };
  } catch (error) {
    return { verdict: 'wrong', says: messageOf(error) };
  }
}
