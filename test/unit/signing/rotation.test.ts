import { describe, expect, it } from 'vitest';
import {
  createFirstKey,
  currentKeyAge,
  ensureFirstKey,
  removeAllKeys,
} from '../../../lambdas/domain/signing/issue-signing-key.ts';
import { ROTATION_STEPS, rotateKey } from '../../../lambdas/domain/signing/rotate-key.ts';
import { KeyNotAccepted, TwoKeysNeeded } from '../../../lambdas/domain/signing/signing-key.ts';
import { DEATHS, deployWorld, retryUntilDone, rotate, SigningWorld } from './signing-world.ts';

const HOUR = 3_600;

describe('the age of the key that signs', () => {
  it('is measured while the key exists, and null otherwise', async () => {
    const world = new SigningWorld();
    expect(await currentKeyAge(world.ports)).toBeNull();
    await ensureFirstKey(world.ports, 'first');
    world.passes(3_600);
    expect(await currentKeyAge(world.ports)).toBeGreaterThanOrEqual(3_600);
    world.issued.clear();
    expect(await currentKeyAge(world.ports)).toBeNull();
  });
});

describe('the first key', () => {
  it('is the only issued key, is in the secret, and is accepted when the deployment ends', async () => {
    const world = new SigningWorld();
    world.unknownFor = 20;
    await ensureFirstKey(world.ports, 'first');
    expect(world.unknownFor).toBe(0);
    expect([...world.issued.keys()]).toEqual([world.at('current')?.keyId]);
  });

  it('stays when the deployment is repeated', async () => {
    const world = await deployWorld();
    const key = world.at('current');
    await ensureFirstKey(world.ports, 'second');
    expect(world.at('current')).toEqual(key);
    expect(world.issued.size).toBe(1);
  });

  it('fails the deployment if it is never accepted, and leaves no key for the rollback', async () => {
    const world = new SigningWorld();
    world.unknownFor = 10_000;
    await expect(createFirstKey(world.ports, 'first')).rejects.toThrow(KeyNotAccepted);
    expect(world.issued.size).toBe(0);
    expect(world.at('current')).toBeNull();
  });

  it.each(DEATHS)('is the only key even if a process died $when $at', async (death) => {
    const world = new SigningWorld();
    world.dies = death;
    await retryUntilDone(() => ensureFirstKey(world.ports, 'first'));
    expect([...world.issued.keys()]).toEqual([world.at('current')?.keyId]);
  });

  it('is deleted with all other keys when the stack is deleted', async () => {
    const world = await deployWorld();
    await rotate(world, 'second');
    await removeAllKeys(world.ports);
    expect(world.issued.size).toBe(0);
    expect(world.at('current')).toBeNull();
  });

  it.each([
    [
      'the stack was deleted and its secret kept',
      (world: SigningWorld) => removeAllKeys(world.ports),
    ],
    ['somebody deleted it', async (world: SigningWorld) => world.issued.clear()],
  ])('is created again if %s, and no deleted key remains preferred', async (_case, end) => {
    const world = await deployWorld();
    await end(world);
    await ensureFirstKey(world.ports, 'second');
    expect([...world.issued.keys()]).toEqual([world.at('current')?.keyId]);
    expect(world.at('previous')).toBeNull();
  });
});

describe('a rotation', () => {
  it('passes the configuration test, for which Secrets Manager creates a version without a value', async () => {
    const world = await deployWorld();
    const key = world.at('current');
    world.versions.set('test', { key: null, stages: new Set(['pending']), replacedAt: null });
    await rotateKey(world.ports, 'testSecret', 'test');
    expect(world.at('current')).toEqual(key);
    await expect(rotateKey(world.ports, 'finishSecret', 'test')).rejects.toThrow('holds no key');
  });

  it('makes a new key current, and keeps the valid former key as the previous one', async () => {
    const world = await deployWorld();
    const former = world.at('current');
    await rotate(world, 'second');
    expect(world.at('current')).not.toEqual(former);
    expect(world.at('previous')).toEqual(former);
    expect(world.issued.size).toBe(2);
  });

  it('accepts the new key only after a minute without a rejection', async () => {
    const world = await deployWorld();
    await rotateKey(world.ports, 'createSecret', 'second');
    const began = Date.parse(world.now);
    await rotateKey(world.ports, 'testSecret', 'second');
    expect(Date.parse(world.now) - began).toBeGreaterThanOrEqual(60_000);
  });

  it('waits for another minute after a rejection', async () => {
    const world = await deployWorld();
    await rotateKey(world.ports, 'createSecret', 'second');
    let look = 0;
    const flapping = { check: async () => ({ accepted: ++look !== 10, code: 'SlowDown' }) };
    const began = Date.parse(world.now);
    await rotateKey({ ...world.ports, probe: flapping }, 'testSecret', 'second');
    expect(look).toBe(10 + 13);
    expect(Date.parse(world.now) - began).toBeGreaterThanOrEqual(110_000);
  });

  it('fails its test if the key is not accepted in time, and changes nothing', async () => {
    const world = await deployWorld();
    const former = world.at('current');
    await rotateKey(world.ports, 'createSecret', 'second');
    world.unknownFor = 10_000;
    await expect(rotateKey(world.ports, 'testSecret', 'second')).rejects.toThrow(KeyNotAccepted);
    expect(world.at('current')).toEqual(former);
  });

  it('cannot finish without a key', async () => {
    const world = await deployWorld();
    await expect(rotateKey(world.ports, 'finishSecret', 'second')).rejects.toThrow('holds no key');
  });

  it('is rejected while the previous key is still needed', async () => {
    const world = await deployWorld();
    await rotate(world, 'second');
    world.passes(24 * HOUR);
    await expect(rotate(world, 'third')).rejects.toThrow(TwoKeysNeeded);
    expect(world.issued.size).toBe(2);
  });

  it('deletes the previous key itself if it is old enough', async () => {
    const world = await deployWorld();
    await rotate(world, 'second');
    const second = world.at('current');
    world.passes(26 * HOUR);
    await rotate(world, 'third');
    expect([...world.issued.keys()]).toEqual([second?.keyId, world.at('current')?.keyId]);
  });

  it('names no secret in its errors', async () => {
    const world = await deployWorld();
    await rotate(world, 'second');
    const refusal = await rotate(world, 'third').catch(String);
    expect(refusal).not.toMatch(/AKIA|secret-/);
  });

  it.each(DEATHS)('has the same result even if a process died $when $at', async (death) => {
    const world = await deployWorld();
    const former = world.at('current');
    world.dies = death;
    for (const step of ROTATION_STEPS) {
      await retryUntilDone(() => rotateKey(world.ports, step, 'second'));
    }
    expect(world.at('previous')).toEqual(former);
    expect(new Set(world.issued.keys())).toEqual(
      new Set([former?.keyId, world.at('current')?.keyId]),
    );
    await expect(rotate(world, 'third')).rejects.toThrow(TwoKeysNeeded);
  });

  it('has the same result if each of its steps is repeated', async () => {
    const world = await deployWorld();
    for (const step of ROTATION_STEPS) {
      await rotateKey(world.ports, step, 'second');
      await rotateKey(world.ports, step, 'second');
    }
    expect(world.issued.size).toBe(2);
    expect(world.at('current')?.keyId).toBe('AKIAEXAMPLE00002');
  });
});
