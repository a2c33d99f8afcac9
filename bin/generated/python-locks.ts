/** Folders with a `requirements.in`; the tests' reads the emulator's lock, so it comes after it. */
export const PYTHON_LOCKS = [
  'local',
  'test',
  'bench',
  'test/fixtures/models',
  'test/moto',
] as const;
