import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AWS_QUOTAS } from '../support/infra/aws-quotas.ts';
import { PROD } from '../support/infra/prod.ts';
import { FAULT_PORT_MARKER } from '../support/simulation/fault-port.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('`cdk synth` of prod, without credentials and without the emulator', () => {
  const out = mkdtempSync(join(tmpdir(), 'soil-batch-prod-'));

  beforeAll(() => {
    execFileSync(
      join(root, 'node_modules/.bin/cdk'),
      ['synth', '--quiet', '--app', 'tsx test/support/infra/prod-app.ts', '--output', out],
      { cwd: root, env: withoutAws(process.env), stdio: 'pipe' },
    );
  });
  afterAll(() => rmSync(out, { recursive: true, force: true }));

  it('fails if the configuration does not say who is notified of alarms', () => {
    const options = { cwd: root, env: withoutAws(process.env), encoding: 'utf8' } as const;
    const { status, stderr } = spawnSync(
      join(root, 'node_modules/.bin/cdk'),
      ['list', '--context', 'stage=prod', '--output', `${out}-refused`],
      options,
    );
    expect(status).not.toBe(0);
    expect(stderr).toContain('alarms.email: ');
  });

  it('writes three templates within CloudFormation’s limits, with room to grow', () => {
    expect(
      readTemplates()
        .map((path) => path.slice(out.length + 1))
        .sort(),
    ).toEqual(
      ['Observability', 'Stateful', 'Stateless'].map(
        (stack) => `SoilBatch-prod-${stack}.template.json`,
      ),
    );
    for (const path of readTemplates()) {
      const text = readFileSync(path, 'utf8');
      const { Resources = {}, Outputs = {} } = JSON.parse(text);
      expect(text.length, path).toBeLessThan(0.8 * AWS_QUOTAS.templateBytes.limit);
      expect(Object.keys(Resources).length, path).toBeLessThanOrEqual(
        0.85 * AWS_QUOTAS.templateResources.limit,
      );
      expect(Object.keys(Outputs).length, path).toBeLessThanOrEqual(
        0.8 * AWS_QUOTAS.templateOutputs.limit,
      );
    }
  });

  it('makes the stateful stack depend on neither of the other stacks', () => {
    const manifest = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
    const dependencies = manifest.artifacts['SoilBatch-prod-Stateful'].dependencies ?? [];
    expect(dependencies).not.toContain('SoilBatch-prod-Stateless');
    expect(dependencies).not.toContain('SoilBatch-prod-Observability');
  });

  /**
   * CloudFormation resolves each `Fn::GetStackOutput` with a call of DescribeStacks, whose rate limit then
   * fails the deployment: 75 uses of 9 values were too many (https://github.com/aws/aws-cdk/issues/38010).
   */
  it('reads values of other stacks through exports, not with `Fn::GetStackOutput`', () => {
    const manifest = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
    expect(manifest.artifacts['SoilBatch-prod-Observability'].dependencies).toContain(
      'SoilBatch-prod-Stateless',
    );
    const texts = readTemplates().map((path) => readFileSync(path, 'utf8'));
    expect(texts.filter((text) => text.includes('Fn::GetStackOutput'))).toEqual([]);
    expect(texts.filter((text) => text.includes('Fn::ImportValue'))).toHaveLength(2);
  });

  it('passes cfn-lint, as do the policies in docs', () => {
    const lint = join(root, '.local/venv/bin/cfn-lint');
    if (!existsSync(lint)) throw new Error('cfn-lint is missing: run `npm run setup:tests`');
    // W3005 is ignored, because the CDK writes a function's dependency on its role even where a GetAtt implies
    // it.
    const checked = [...readTemplates(), wrapPolicies()];
    const { stdout, status } = spawnSync(lint, ['--ignore-checks', 'W3005', '--', ...checked], {
      encoding: 'utf8',
    });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  it('causes no CDK warnings', () => {
    const report = JSON.parse(readFileSync(join(out, 'validation-report.json'), 'utf8'));
    expect(report.pluginReports).toEqual([]);
  });

  it('makes assets within Lambda’s size limit', () => {
    expect(listAssets().length).toBeGreaterThan(10);
    for (const asset of listAssets())
      expect(sizeOf(asset), asset).toBeLessThan(AWS_QUOTAS.lambdaUnzippedBytes.limit);
  });

  it.each(['TransientFailure', 'CovariateUnavailable'])(
    'preserves the error name %s, on which Step Functions retries a step, through minification',
    (name) => {
      const steps = listAssets().filter((asset) => existsSync(join(asset, 'models')));
      const throwing = steps.filter((asset) =>
        readFileSync(join(asset, 'index.mjs'), 'utf8').includes(`name="${name}"`),
      );
      expect(throwing.length).toBeGreaterThan(0);
    },
  );

  it('puts no test code into any asset, in particular not the fault port', () => {
    const maps = listAssetFiles().filter((file) => file.endsWith('.map'));
    const sources = maps.flatMap(
      (file): readonly string[] => JSON.parse(readFileSync(file, 'utf8')).sources,
    );
    expect(sources.some((source) => source.endsWith('lambdas/domain/batch/finish-batch.ts'))).toBe(
      true,
    );
    expect(sources.filter((source) => /(^|\/)(test|local)\//.test(findOwnPath(source)))).toEqual(
      [],
    );
    const code = listAssetFiles().filter((file) => /\.(m|c)?js(\.map)?$/.test(file));
    expect(code.length).toBeGreaterThan(listAssets().length);
    const marked = code.filter((file) => readFileSync(file).includes(FAULT_PORT_MARKER));
    expect(marked).toEqual([]);
  });

  it('puts the model packs into three assets, without their training data', () => {
    expect(listPackContents().filter((contents) => contents.includes('build'))).toEqual(
      Array(3).fill(['SHA256SUMS', 'build', 'manifest.json']),
    );
  });

  it('puts only the manifest and the checksums of each pack into three other assets', () => {
    expect(listPackContents().filter((contents) => !contents.includes('build'))).toEqual(
      Array(3).fill(['SHA256SUMS', 'manifest.json']),
    );
  });

  function listAssetFiles(): readonly string[] {
    return listAssets().flatMap((asset) =>
      readdirSync(asset, { recursive: true, encoding: 'utf8' })
        .map((name) => join(asset, name))
        .filter((path) => statSync(path).isFile()),
    );
  }

  /** Returns a source's path, unless it is in a package, whose folders may have any name. */
  function findOwnPath(source: string): string {
    return source.includes('node_modules/') ? '' : source;
  }

  function listPackContents(): readonly (readonly string[])[] {
    const withModels = listAssets().filter((asset) => existsSync(join(asset, 'models')));
    return withModels.flatMap((asset) => {
      expect(readdirSync(join(asset, 'models'))).toEqual(PROD.modelPacks);
      return PROD.modelPacks.map((pack) => readdirSync(join(asset, 'models', pack)).sort());
    });
  }

  /**
   * Wraps a policy in a template, because cfn-lint only reads templates. Its rule W3037 finds actions that do
   * not exist.
   */
  function wrapPolicies(): string {
    const policy = (name: string) => ({
      Type: 'AWS::IAM::ManagedPolicy',
      Properties: { PolicyDocument: JSON.parse(readFileSync(join(root, 'docs', name), 'utf8')) },
    });
    const path = join(out, 'policies.json');
    const Resources = {
      Execution: policy('execution-policy.json'),
      Foundation: policy('foundation-policy.json'),
      Deployer: policy('deployer-policy.json'),
      Operator: policy('operator-policy.json'),
      BoundaryRequired: policy('boundary-required.json'),
      DeployRoleLimits: policy('deploy-role-limits.json'),
    };
    writeFileSync(path, JSON.stringify({ Resources }));
    return path;
  }

  function readTemplates(): readonly string[] {
    return readdirSync(out)
      .filter((name) => name.endsWith('.template.json'))
      .map((name) => join(out, name));
  }

  function listAssets(): readonly string[] {
    return readdirSync(out)
      .filter((name) => name.startsWith('asset.'))
      .map((name) => join(out, name));
  }
});

describe('the application of dev', () => {
  it("consists of the stage's three stacks", () => {
    const cdk = join(root, 'node_modules/.bin/cdk');
    const listed = execFileSync(cdk, ['list', '-c', 'stage=dev'], {
      cwd: root,
      env: withoutAws(process.env),
      encoding: 'utf8',
    });
    expect(listed.trim().split('\n').sort()).toEqual([
      'SoilBatch-dev-Observability',
      'SoilBatch-dev-Stateful',
      'SoilBatch-dev-Stateless',
    ]);
  });
});

function sizeOf(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

function withoutAws(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(
    ([name]) => !name.startsWith('AWS_') && !name.startsWith('CDK_'),
  );
  return {
    ...Object.fromEntries(kept),
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  };
}
