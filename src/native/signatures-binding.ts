/** What native/napi/signature_encoder_wrap.h offers. */
export interface NativeSignatureEncoder {
  /** Of the mean vector; 0 where the encoder has none. */
  readonly dimensions: number;
  /**
   * Encodes the words of `joined` (native/signatures/word_list.h has its grammar). One buffer:
   * signatures (`count` rows of ceil(bits / 64) words), stems (`count` words), vector (`dimensions`
   * floats), wordOf (`count` 32-bit numbers).
   */
  encode(joined: string, query: boolean): ArrayBuffer;
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
