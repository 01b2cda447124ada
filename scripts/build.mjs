// npm run build: the addon and `dist`, as far as they are out of date.

import { setUp } from "./lib/setup.mjs";

setUp();
