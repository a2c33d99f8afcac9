import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildConsole } from '../../lib/build/console-build.ts';
import { collectLicences } from '../../lib/build/licences.ts';

const { output, packages } = buildConsole();
const files = new Map(Object.entries(output));

describe('the built console', () => {
  it('has no file that exceeds the response size of Lambda', () => {
    for (const [name, text] of files) expect(Buffer.byteLength(text), name).toBeLessThan(4_000_000);
  });

  it('names every file by a hash of its content', () => {
    for (const name of files.keys()) expect(name).toMatch(/-[A-Z0-9]{8}\.(js|css|txt)$/);
  });

  it('contains the licence of each package in it', () => {
    const [licences = ''] = [...files].find(([name]) => name.startsWith('licences-')) ?? [];
    const text = files.get(licences) ?? '';
    for (const folder of packages) {
      expect(text).toMatch(new RegExp(`^${folder.replace('node_modules/', '')} \\d`, 'm'));
    }
    expect(text).toContain('Copyright 2005-present, OpenLayers Contributors');
    expect(text).toContain('Copyright (c) 2017 sql.js authors');
  });

  it('cannot be built with a package that contains no licence', () => {
    const folder = mkdtempSync(join(tmpdir(), 'soil-batch-package-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const described = { name: 'unlicensed', version: '1.0.0', license: 'MIT' };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(described));
    const build = () => collectLicences([relative('.', folder)]);
    expect(build).toThrow('the package unlicensed contains no licence file');
  });
});
