/** What native/napi/signature_encoder_wrap.h offers. */
export interface NativeSignatureEncoder {
  /** Of the mean vector; 0 where the encoder has none. */
  readonly dimensions: number;
  /**
   * Encodes the words of `joined` (native/signatures/word_list.h has its grammar). One buffer: the
   * numbers of rows and of pieces (32 bits each), signatures (rows of ceil(bits / 64) words), stems (a
   * word a row), vector (`dimensions` floats), wordOf and pieceCounts (a 32-bit number a row), pieces.
   */
  encode(joined: string, query: boolean): ArrayBuffer;
  /** The same of a text, of which signatures, stems and wordOf alone follow the two numbers. */
  encodeRows(joined: string): ArrayBuffer;
}

export interface NativeSignatureEncoderClass {
  new (
    name: string,
    bits: number,
    indexDimensions: number,
    nonZeros: number,
    window: number,
  ): NativeSignatureEncoder;
  /** Keeps the table of distilled vectors for the whole process; the first one wins. */
  setTable(bytes: Uint8Array): void;
  hasTable(): boolean;
}
