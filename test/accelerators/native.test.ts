import { loadNative } from "../../src/accelerators/native.js";
import { conformance } from "./conformance.js";

conformance("native", loadNative);
