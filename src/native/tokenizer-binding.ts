/** `Tokenizer` of native/napi/tokenizer_wrap.h. */
export interface NativeTokenizer {
  readonly vocabularySize: number;
  readonly sizeInBytes: number;
  encode(text: string): Uint32Array;
  encodeWithOffsets(text: string): { tokens: Uint32Array; ends: Uint32Array };
  encodeMany(texts: readonly string[]): { tokens: Uint32Array; offsets: Uint32Array };
  count(text: string): number;
  decode(tokens: Uint32Array): string;
  decodeMany(tokens: Uint32Array, offsets: Uint32Array): string[];
}

export interface NativeTokenizerClass {
  /** The rank file is needed unless {@link isLoaded}. */
  new (rankFile?: Uint8Array): NativeTokenizer;
  /** Whether any environment of the process has loaded the vocabulary. */
  isLoaded(): boolean;
}
