import { describe, expect, it } from 'vitest';
import { revokeKeys } from '../../../lambdas/domain/signing/issue-signing-key.ts';
import {
  ROTATION_STEPS,
  removeReplacedKeys,
  rotateKey,
} from '../../../lambdas/domain/signing/rotate-key.ts';
import { KeyNotAccepted } from '../../../lambdas/domain/signing/signing-key.ts';
import { DEATHS, deployWorld, retryUntilDone, rotate, type SigningWorld } from './signing-world.ts';

const HOUR = 3_600;

describe('a replaced key', () => {
  it('is kept for 25 hours after it was replaced, then deleted', async () => {
    const world = await deployWorld();
    await rotate(world, 'second');
    const previous = world.at('previous')?.keyId ?? '';
    world.passes(25 * HOUR - 1);
    await removeReplacedKeys(world.ports);
    expect(world.issued.has(previous)).toBe(true);
    world.passes(1);
    await removeReplacedKeys(world.ports);
    expect([...world.issued.keys()]).toEqual([world.at('current')?.keyId]);
  });

  it('is kept for a day after its replacement, however long the rotation took', async () => {
    const world = await deployWorld();
    await rotateKey(world.ports, 'createSecret', 'second');
    world.passes(30 * HOUR);
    await rotateKey(world.ports, 'testSecret', 'second');
    await rotateKey(world.ports, 'finishSecret', 'second');
    world.passes(24 * HOUR);
    await removeReplacedKeys(world.ports);
    expect(world.issued.size).toBe(2);
  });

  it('is kept longer if its replacement was recorded late', async () => {
    const world = await deployWorld();
    await rotateKey(world.ports, 'createSecret', 'second');
    world.dies = { at: 'noteReplaced', when: 'before' };
    await expect(rotateKey(world.ports, 'finishSecret', 'second')).rejects.toThrow('died');
    world.passes(HOUR);
    await removeReplacedKeys(world.ports);
    world.passes(24.5 * HOUR);
    await removeReplacedKeys(world.ports);
    expect(world.issued.size).toBe(2);
    world.passes(HOUR);
    await removeReplacedKeys(world.ports);
    expect(world.issued.size).toBe(1);
  });

  it('is the only key that hourly checks delete', async () => {
    const world = await deployWorld();
    await rotate(world, 'second');
    for (let hour = 0; hour < 60; hour++) {
      world.passes(HOUR);
      await removeReplacedKeys(world.ports);
    }
    expect([...world.issued.keys()]).toEqual([world.at('current')?.keyId]);
    expect([...world.versions.values()].map(({ replacedAt }) => replacedAt)).toEqual(
      [...world.versions].map(() => null),
    );
  });
});

describe('a leaked key', () => {
  const expectAlone = (world: SigningWorld) => {
    expect([...world.issued.keys()]).toEqual([world.at('current')?.keyId]);
    // Signers prefer the previous key while the current key is new.
    expect(world.at('previous')).toBeNull();
  };

  it('is deleted immediately, and a new key signs', async () => {
    const world = await deployWorld();
    const leaked = world.at('current')?.keyId ?? '';
    await revokeKeys(world.ports, 'second');
    expect(world.issued.has(leaked)).toBe(false);
    expectAlone(world);
  });

  it('is deleted together with the key that replaced it, while signed URLs may still need both', async () => {
    const world = await deployWorld();
    await rotate(world, 'second');
    const before = [...world.issued.keys()];
    expect(before).toHaveLength(2);
    await revokeKeys(world.ports, 'third');
    expect(before.filter((key) => world.issued.has(key))).toEqual([]);
    expectAlone(world);
    world.passes(26 * HOUR);
    await removeReplacedKeys(world.ports);
    expectAlone(world);
  });

  it.each(ROTATION_STEPS)(
    'can be deleted before step %s of a rotation, and the next rotation succeeds',
    async (at) => {
      const world = await deployWorld();
      for (const step of ROTATION_STEPS.slice(0, ROTATION_STEPS.indexOf(at))) {
        await rotateKey(world.ports, step, 'second');
      }
      await revokeKeys(world.ports, 'third');
      const signing = world.at('current');
      if (at !== 'createSecret') {
        await expect(rotateKey(world.ports, 'finishSecret', 'second')).rejects.toThrow(
          KeyNotAccepted,
        );
      }
      expect(world.at('current')).toEqual(signing);
      expectAlone(world);
      await rotate(world, 'fourth');
      expect(world.issued.has(world.at('current')?.keyId ?? '')).toBe(true);
    },
  );

  it.each(DEATHS)(
    'is deleted by repeating the command after a process died $when $at',
    async (death) => {
      const world = await deployWorld();
      await rotate(world, 'second');
      const leaked = [...world.issued.keys()];
      world.dies = death;
      let version = 2;
      await retryUntilDone(() => {
        version += 1;
        return revokeKeys(world.ports, `version ${version}`);
      });
      expect(leaked.filter((key) => world.issued.has(key))).toEqual([]);
      expectAlone(world);
    },
  );
});
