/** What is used of sax, which has no types. */
declare module 'sax' {
  interface Parser {
    /** The first line is 0. */
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
