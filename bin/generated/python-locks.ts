/** Folders with a `requirements.in`. `test` comes after `local`, because its requirements read the emulator's lock. */
export const PYTHON_LOCKS = [
  'local',
  'test',
  'bench',
  'test/fixtures/models',
  'test/moto',
] as const;
