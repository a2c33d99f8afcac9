/** Folders with a `requirements.in`. The tests' file reads the emulator's lock, so it comes after it. */
export const PYTHON_LOCKS = [
  'local',
  'test',
  'bench',
  'test/fixtures/models',
  'test/moto',
] as const;
