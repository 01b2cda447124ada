export {
  ENCODERS,
  type EncodedText,
  type EncoderName,
  type EncoderOptions,
  loadEncoder,
  type SignatureEncoder,
} from "./encoder.js";
