import type { Recall } from "./api.js";
import { h, place } from "./dom.js";
import { ms } from "./format.js";

const STAGES = ["keywords", "encode", "rank", "pack"] as const;

/** The milliseconds of each stage, as widths and as numbers. */
export function timingsBar(timings: Recall["timings"]): HTMLElement {
  const stages = STAGES.filter((stage) => stage !== "keywords" || timings.keywords > 0);
  const whole = Math.max(timings.total, Number.MIN_VALUE);
  const segments = stages.map((stage) =>
    place(h("span", { class: `segment stage-${stage}` }), {
      width: `${(timings[stage] / whole) * 100}%`,
    }),
  );
  const legend = stages.map((stage) =>
    h("li", { class: `stage-${stage}` }, h("span", {}, stage), ` ${ms(timings[stage])}`),
  );
  const accelerators = timings.accelerators.map(({ operation, accelerator, ms: took }) =>
    h("li", { class: "plain" }, `${operation} on ${accelerator} ${ms(took)}`),
  );
  return h(
    "div",
    { class: "timings" },
    h("p", { class: "figure" }, h("strong", {}, ms(timings.total))),
    h("div", { class: "bar thin", "aria-hidden": "true" }, ...segments),
    h("ul", { class: "legend" }, ...legend, ...accelerators),
  );
}
