/** The built console: the files of `console/`, bundled, with names that contain a hash of their content. */
export interface ConsoleFiles {
  /** The files that the page names; the others are loaded by the script. */
  readonly entry: () => Promise<ConsoleEntry>;
  /** Undefined when the console has no such file. */
  readonly read: (name: string) => Promise<string | undefined>;
}

export interface ConsoleEntry {
  readonly script: string;
  readonly style: string;
}

export interface ConsolePorts {
  readonly files: ConsoleFiles;
  /** The origin of signed URLs, from which the page reads rasters. */
  readonly resultsOrigin: string;
  /** The template of a base map's URL, with `{z}`, `{x}` and `{y}`; null without a base map. */
  readonly tileUrl: string | null;
  /** Whom to credit for the base map; null for nobody. */
  readonly tileAttribution: string | null;
}
