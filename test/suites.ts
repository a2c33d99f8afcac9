/** `docs/tests.md` says what each suite checks. */
export const SUITES: Readonly<Record<string, string>> = {
  unit: 'vitest run --project unit',
  integration: 'vitest run --project integration',
  faults: 'vitest run --project faults',
  infra: 'vitest run --project infra',
  e2e: 'vitest run --project e2e --project e2e-alone',
  python:
    '.local/venv/bin/mypy --config-file python/pyproject.toml python/src && .local/venv/bin/pytest python/tests models/tools/tests',
  node24: 'node local/setup.mjs test/lambda-runtime && bash test/lambda-runtime/run.sh',
  tooling: 'vitest run --project tooling',
  long: 'EVERY_RUN=1 vitest run --project unit --project integration --project faults && EVERY_RUN=1 .local/venv/bin/pytest models/tools/tests python/tests/test_design.py',
  'e2e-night': 'vitest run --project e2e-night',
  contract: 'vitest run --project contract',
  chaos: 'vitest run --project chaos',
  'dynamodb-local': 'vitest run --project dynamodb-local',
  moto: 'node local/setup.mjs test/moto && vitest run --project moto',
  generators: 'vitest run --project generators',
  qgis: 'vitest run --project qgis',
  wheel: '.local/venv/bin/pytest python/wheel',
  recipes: '.local/venv/bin/pytest models/tools/recipes',
  upgrade: 'vitest run --project upgrade',
};
