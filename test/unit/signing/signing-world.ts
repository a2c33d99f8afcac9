import { addSeconds, type Timestamp } from '../../../lambdas/domain/clock.ts';
import { ensureFirstKey } from '../../../lambdas/domain/signing/issue-signing-key.ts';
import { ROTATION_STEPS, rotateKey } from '../../../lambdas/domain/signing/rotate-key.ts';
import type {
  KeyVersion,
  SigningKey,
  SigningPorts,
} from '../../../lambdas/domain/signing/signing-key.ts';

type Stage = 'current' | 'pending' | 'previous';

interface StoredVersion {
  key: SigningKey | null;
  stages: Set<Stage>;
  replacedAt: Timestamp | null;
}

/** An action of the world at which a process can die, before or after its effect. */
type Effect = 'create' | 'remove' | 'put' | 'makeCurrent' | 'noteReplaced';

/** Secrets Manager, IAM and S3 in memory, with the rules on which rotation relies. */
export class SigningWorld {
  now: Timestamp = '2026-03-01T12:00:00.000Z';
  readonly issued = new Map<string, SigningKey>();
  readonly versions = new Map<string, StoredVersion>();
  /** The number of probes until S3 accepts a new key. */
  unknownFor = 0;
  dies: { readonly at: Effect; readonly when: 'before' | 'after' } | null = null;
  private made = 0;

  constructor() {
    this.versions.set('initial', { key: null, stages: new Set(['current']), replacedAt: null });
  }

  at(stage: Stage): SigningKey | null {
    return [...this.versions.values()].find(({ stages }) => stages.has(stage))?.key ?? null;
  }

  private async effect(at: Effect, happen: () => void): Promise<void> {
    const death = this.dies?.at === at ? this.dies.when : null;
    if (death !== null) this.dies = null;
    if (death === 'before') throw new Error(`died before ${at}`);
    happen();
    if (death === 'after') throw new Error(`died after ${at}`);
  }

  private stored(versionId: string): StoredVersion {
    const version = this.versions.get(versionId);
    if (version === undefined) throw new Error(`no version ${versionId}`);
    return version;
  }

  private moveStage(stage: Stage, versionId: string): void {
    for (const { stages } of this.versions.values()) stages.delete(stage);
    this.stored(versionId).stages.add(stage);
  }

  private moveCurrent(versionId: string): void {
    const former = [...this.versions].find(([, { stages }]) => stages.has('current'))?.[0];
    this.moveStage('current', versionId);
    if (former !== undefined && former !== versionId) this.moveStage('previous', former);
  }

  readonly ports: SigningPorts = {
    vault: {
      versions: async () =>
        [...this.versions]
          .map(([id, { stages, replacedAt }]): KeyVersion => ({ id, stages, replacedAt }))
          .filter(({ stages, replacedAt }) => stages.size > 0 || replacedAt !== null),
      read: async (versionId) => this.versions.get(versionId)?.key ?? null,
      put: (versionId, stage, key) =>
        this.effect('put', () => {
          const known = this.versions.get(versionId)?.key;
          if (known !== undefined && known !== null) throw new Error('a version never changes');
          this.versions.set(versionId, { key, stages: new Set(), replacedAt: null });
          if (stage === 'current') this.moveCurrent(versionId);
          else this.moveStage(stage, versionId);
        }),
      clear: async () => {
        const id = `cleared-${this.versions.size}`;
        this.versions.set(id, { key: null, stages: new Set(), replacedAt: null });
        this.moveCurrent(id);
      },
      makeCurrent: (versionId) =>
        this.effect('makeCurrent', () => {
          this.moveCurrent(versionId);
        }),
      noteReplaced: (versionId, at) =>
        this.effect('noteReplaced', () => {
          this.stored(versionId).replacedAt = at;
        }),
      dropPending: async (versionId) => {
        this.stored(versionId).stages.delete('pending');
      },
      forgetReplaced: async (versionId) => {
        this.stored(versionId).replacedAt = null;
      },
    },
    issuer: {
      list: async () => [...this.issued.keys()],
      create: async () => {
        if (this.issued.size >= 2) throw new Error('LimitExceeded: two keys per user');
        this.made += 1;
        const keyId = `AKIAEXAMPLE${String(this.made).padStart(5, '0')}`;
        const key = { keyId, secret: `secret-${this.made}`, createdAt: this.now };
        await this.effect('create', () => this.issued.set(keyId, key));
        return key;
      },
      remove: (keyId) =>
        this.effect('remove', () => {
          this.issued.delete(keyId);
        }),
    },
    probe: {
      check: async ({ keyId }) => {
        const known = this.unknownFor <= 0 && this.issued.has(keyId);
        this.unknownFor = Math.max(0, this.unknownFor - 1);
        return { accepted: known, code: known ? 'NoSuchKey' : 'InvalidAccessKeyId' };
      },
    },
    now: () => this.now,
    pause: async (seconds) => this.passes(seconds),
  };

  passes(seconds: number): void {
    this.now = addSeconds(this.now, seconds);
  }
}

export async function rotate(world: SigningWorld, token: string): Promise<void> {
  for (const step of ROTATION_STEPS) await rotateKey(world.ports, step, token);
}

export async function deployWorld(): Promise<SigningWorld> {
  const world = new SigningWorld();
  await ensureFirstKey(world.ports, 'first');
  return world;
}

/** Retries a failed step until it succeeds, as the services do. */
export async function retryUntilDone(step: () => Promise<void>): Promise<void> {
  for (let call = 0; call < 5; call++) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('died')) throw error;
    }
  }
  throw new Error('never done');
}

export const DEATHS = (
  ['create', 'put', 'makeCurrent', 'noteReplaced', 'remove'] as Effect[]
).flatMap((at) => [
  { at, when: 'before' as const },
  { at, when: 'after' as const },
]);
