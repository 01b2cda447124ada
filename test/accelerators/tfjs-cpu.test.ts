import { tfjsSuite } from "./tfjs-suite.js";

tfjsSuite("cpu");
