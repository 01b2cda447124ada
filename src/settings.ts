import {
  type EmbeddingChoice,
  type EmbeddingSettings,
  embeddingSettingsOf,
} from "./embed/choice.js";
import { DentateError } from "./errors.js";
import { DISTILLED_SHA256 } from "./signatures/distilled-asset.js";
import { ENCODERS, type EncoderName, type EncoderOptions } from "./signatures/encoder.js";
import { O200K_BASE_FINGERPRINT } from "./text/tokenizer.js";

/**
 * What a store's data depend on. It is written into the manifest when a store is made, and a store
 * made with other settings is not opened: what it holds would not be found.
 *
 *   tokenizer   name and vocabulary's hash         stemmer  what makes words into stems
 *   encoder     name, bits and parameters, or      words    what makes a text into words
 *               its table's hash
 *   embedder    id, dimensions and pooling of what makes chunks into vectors
 *   chunks      turns and tokens of a chunk
 *
 * A store from before there were chunks lacks the last two, and is one with the defaults.
 */
export type StoreSettings = Readonly<Record<(typeof NAMES)[number], string>>;

const NAMES = ["tokenizer", "encoder", "stemmer", "words"] as const;
/** Raised with a change to words.ts, stop-words.ts or the like that makes other words of a text. */
const WORDS_VERSION = 1;
const STEMMER = "porter:1";
export const DEFAULT_ENCODER_OPTIONS = {
  bits: 128,
  indexDimensions: 1024,
  nonZeros: 10,
  window: 1,
} as const;

/** Which encoder, as an option and as a setting tell it. */
export interface EncoderChoice {
  readonly encoder: EncoderName;
  readonly encoderOptions: EncoderOptions;
}

/** The encoder with all its options, those that are not given from `defaults`. */
export function chooseEncoder(
  encoder: EncoderName,
  given: EncoderOptions,
  defaults: EncoderOptions = {},
): EncoderChoice {
  const all = { ...DEFAULT_ENCODER_OPTIONS, ...defaults, ...given };
  return { encoder, encoderOptions: encoder === "distilled" ? { bits: all.bits } : all };
}

export function settingsOf(choice: EncoderChoice): StoreSettings {
  return {
    tokenizer: `o200k_base:${O200K_BASE_FINGERPRINT}`,
    encoder: fingerprintOf(choice),
    stemmer: STEMMER,
    words: String(WORDS_VERSION),
  };
}

/** The same as the encoder's own fingerprint, without loading it. */
export function fingerprintOf({ encoder, encoderOptions }: EncoderChoice): string {
  const { bits, indexDimensions, nonZeros, window } = encoderOptions;
  const parameters =
    encoder === "distilled" ? DISTILLED_SHA256 : `${indexDimensions}:${nonZeros}:${window}`;
  return `${encoder}:${bits}:${parameters}`;
}

/**
 * The encoder to open a store with: its own, which must be what the caller named.
 *
 * @throws {@link DentateError} `DENTATE_MISMATCH` where the store was made with another one, or with
 * something that this version has not.
 */
export function encoderOfStore(
  directory: string,
  settings: Readonly<Record<string, string>>,
  given: { readonly encoder: EncoderName | undefined; readonly encoderOptions: EncoderOptions },
): EncoderChoice {
  const own = parseFingerprint(settings["encoder"] ?? "");
  const stored = own ?? chooseEncoder("distilled", {});
  // Its own settings again, unless it was made by a version with another table, tokenizer, ...
  expectSettings(directory, settings, settingsOf(stored));
  const isSame = given.encoder === undefined || given.encoder === stored.encoder;
  const wanted = chooseEncoder(
    given.encoder ?? stored.encoder,
    given.encoderOptions,
    isSame ? stored.encoderOptions : {},
  );
  expectSettings(directory, settings, settingsOf(wanted));
  return stored;
}

/**
 * The encoder that a store was made with, for reading its text: it may be one that this version does
 * not have. Only the tokenizer must be the same.
 *
 * @throws {@link DentateError} `DENTATE_MISMATCH`.
 */
export function encoderForText(
  directory: string,
  settings: Readonly<Record<string, string>>,
): EncoderChoice {
  const stored = parseFingerprint(settings["encoder"] ?? "") ?? chooseEncoder("distilled", {});
  const { tokenizer } = settingsOf(stored);
  expectSettings(directory, settings, { ...(settings as StoreSettings), tokenizer });
  return stored;
}

function expectSettings(
  directory: string,
  stored: Readonly<Record<string, string>>,
  wanted: StoreSettings,
): void {
  for (const name of NAMES) {
    if (stored[name] === wanted[name]) continue;
    throw mismatch(directory, name, stored[name] ?? "unknown", wanted[name]);
  }
}

/**
 * The settings of a store as it has them, with this embedding: which must be its own, but for one that
 * is not written down, where it is the default.
 *
 * @throws {@link DentateError} `DENTATE_MISMATCH`.
 */
export function settingsWith(
  directory: string,
  stored: Readonly<Record<string, string>>,
  wanted: EmbeddingChoice,
  standard: EmbeddingChoice,
): Readonly<Record<string, string>> {
  const wantedSettings = embeddingSettingsOf(wanted);
  const standardSettings = embeddingSettingsOf(standard);
  for (const name of ["embedder", "chunks"] as const satisfies (keyof EmbeddingSettings)[]) {
    const own = stored[name] ?? standardSettings[name];
    // Who makes no chunks and looks for none can't mix any.
    if (wanted.embedder === "none") continue;
    if (own !== wantedSettings[name]) throw mismatch(directory, name, own, wantedSettings[name]);
  }
  return stored;
}

function mismatch(directory: string, name: string, stored: string, wanted: string): DentateError {
  return new DentateError(
    "DENTATE_MISMATCH",
    `${directory} was made with ${name} '${stored}', not '${wanted}'`,
  );
}

function parseFingerprint(fingerprint: string): EncoderChoice | undefined {
  const [name, bits, indexDimensions, nonZeros, window] = fingerprint.split(":");
  const encoder = ENCODERS.find((known) => known === name);
  if (encoder === undefined) return undefined;
  return chooseEncoder(encoder, {
    bits: Number(bits),
    ...(encoder !== "distilled" && {
      indexDimensions: Number(indexDimensions),
      nonZeros: Number(nonZeros),
      window: Number(window),
    }),
  });
}
