/** Types for the parts of sax that the console uses; sax has none. */
declare module 'sax' {
  interface Parser {
    /** Counted from 0. */
    readonly line: number;
    onopentag: (tag: {
      readonly name: string;
      readonly attributes: Readonly<Record<string, string>>;
    }) => void;
    onclosetag: (name: string) => void;
    ontext: (text: string) => void;
    oncdata: (text: string) => void;
    onerror: (error: Error) => void;
    write(text: string): Parser;
    close(): Parser;
  }
  const sax: { parser(strict: boolean): Parser };
  export = sax;
}
