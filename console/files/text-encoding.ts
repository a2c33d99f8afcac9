/** A text encoding: a name of the Encoding Standard, or a DOS code page, which the standard lacks. */
export type TextEncoding = string;

/** The characters of bytes 128 to 255 in DOS code pages, which old Shapefiles use. */
// cspell:disable
const DOS: Readonly<Record<string, string>> = {
  cp437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  cp850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  cp852:
    'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0',
};
// cspell:enable

/** Names in the Encoding Standard for code pages of Windows and others, by number. */
const CODE_PAGES: Readonly<Record<number, string>> = {
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  20866: 'koi8-r',
  51949: 'euc-kr',
  54936: 'gb18030',
  65001: 'utf-8',
};

/**
 * Code pages by the language driver of a .dbf file (Esri, ArcPad Reference Guide, "LDID"). 0x57 stands for the
 * default code page of the writing machine.
 */
const LANGUAGES: ReadonlyMap<number, number> = new Map(
  Object.entries({
    437: [0x01, 0x09, 0x0b, 0x0d, 0x0f, 0x11, 0x15, 0x18, 0x19, 0x1b],
    850: [0x02, 0x0a, 0x0e, 0x10, 0x12, 0x14, 0x16, 0x1a, 0x1d, 0x25, 0x37],
    852: [0x1f, 0x22, 0x23, 0x40, 0x64, 0x87],
    857: [0x6b, 0x88],
    860: [0x24],
    861: [0x67],
    863: [0x1c, 0x6c],
    865: [0x08, 0x17, 0x66],
    737: [0x6a, 0x86],
    866: [0x26, 0x65],
    874: [0x50, 0x7c],
    932: [0x13, 0x7b],
    936: [0x4d, 0x7a],
    949: [0x4e, 0x79],
    950: [0x4f, 0x78],
    1250: [0xc8],
    1251: [0xc9],
    1252: [0x03, 0x58, 0x59],
    1253: [0xcb],
    1254: [0xca],
    1255: [0x7d],
    1256: [0x7e],
    1257: [0xcc],
  }).flatMap(([page, drivers]) => drivers.map((driver) => [driver, Number(page)] as const)),
);

/** Empty for an unknown driver. */
export function findCodePage(driver: number): string {
  return String(LANGUAGES.get(driver) ?? '');
}

/** The encoding that a name means, such as `1252`, `ANSI 1252`, `CP1252`, `88591` or `UTF-8`. */
export function findEncoding(name: string): TextEncoding | undefined {
  const plain = name.trim().toLowerCase();
  const [, iso] = /^(?:iso[ _-]*)?8859[ _-]?(\d{1,2})$/.exec(plain) ?? [];
  const [, page] =
    /^(?:(?:ansi|oem|cp|ms|ibm|windows|dos|x-cp)[ _-]*)?(\d{3,5})$/.exec(plain) ?? [];
  const dos = `cp${page}`;
  if (dos in DOS) return dos;
  const labels = [
    ...(iso === undefined ? [] : [`iso-8859-${iso}`]),
    ...(page === undefined ? [] : [CODE_PAGES[Number(page)] ?? `windows-${page}`]),
    plain,
    plain.replace(/^utf[ _]*(?=\d)/, 'utf-'),
  ];
  return labels.map(findLabel).find((label) => label !== undefined);
}

function findLabel(label: string): TextEncoding | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** Makes a decoder of texts. It drops a last character that is cut off, and turns invalid bytes into U+FFFD. */
export function decoderFor(encoding: TextEncoding): (bytes: Uint8Array) => string {
  const upper = DOS[encoding];
  if (upper === undefined) {
    const decoder = new TextDecoder(encoding);
    return (bytes) => {
      const text = decoder.decode(bytes, { stream: true });
      decoder.decode();
      return text;
    };
  }
  const characters = [...upper];
  return (bytes) =>
    Array.from(bytes, (byte) => characters[byte - 0x80] ?? String.fromCharCode(byte)).join('');
}

/**
 * Decodes bytes; undefined if they are not valid. If the text may be cut, an incomplete last character is dropped.
 */
export function decodeText(
  encoding: TextEncoding,
  bytes: Uint8Array,
  mayBeCut: boolean,
): string | undefined {
  if (encoding in DOS) return decoderFor(encoding)(bytes);
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    // Decode as a stream, because Node 20 otherwise decodes CP1252 as Latin-1:
    // https://github.com/nodejs/node/issues/56542
    const text = decoder.decode(bytes, { stream: true });
    if (!mayBeCut) decoder.decode();
    return text;
  } catch {
    return undefined;
  }
}
