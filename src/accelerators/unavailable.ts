/** Why an accelerator can't be used on this machine, in words: what `dentate doctor` prints of it. */
export class AcceleratorUnavailable extends Error {
  override readonly name = "AcceleratorUnavailable";
}
