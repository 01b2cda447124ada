import type { BankMap, Recall } from "./api.js";
import { type Child, h, s } from "./dom.js";
import { count } from "./format.js";
import { colourOf, type Group } from "./groups.js";

const WIDTH = 480;
const HEIGHT = 320;
const MARGIN = 14;
const RADIUS = { other: 2.2, kin: 3, recalled: 5 };

/**
 * The bank's chunks by the first two principal components of their vectors. Those that are recalled are
 * large, others of the same atoms small and of the same colour, the rest grey; the question is a cross.
 */
export function atomMap(map: BankMap, { items }: Recall, groups: readonly Group[]): Child {
  const { chunks, question, total, shares } = map;
  if (chunks.length === 0) return undefined;
  const toScreen = scale([
    ...chunks.map(({ x, y }) => [x, y] as const),
    ...(question ? [question] : []),
  ]);
  const recalled = new Set(items.map(({ id }) => id));
  const groupOf = new Map(groups.map(({ atom }, group) => [atom, group]));
  const dots = chunks.map((chunk) => {
    const group = chunk.atom === undefined ? undefined : groupOf.get(chunk.atom);
    const isRecalled = chunk.ids.some((id) => recalled.has(id));
    const kind = isRecalled ? "recalled" : group === undefined ? "other" : "kin";
    const [cx, cy] = toScreen(chunk.x, chunk.y);
    const colour = group === undefined ? "c-none" : colourOf(groups, group);
    const atom = chunk.atom === undefined ? "in no atom yet" : `atom ${chunk.atom}`;
    const dot = s(
      "circle",
      { cx, cy, r: RADIUS[kind], class: `${kind} ${colour}`, "data-group": group ?? "none" },
      s("title", {}, `${atom}: ${chunk.ids.join(", ")}`),
    );
    return { kind, dot };
  });
  // What is recalled lies on top.
  const order = ["other", "kin", "recalled"];
  dots.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  const seen = dots.filter(({ kind }) => kind === "recalled").length;
  const some = total > chunks.length ? ` ${count(chunks.length)} of them are shown.` : "";
  const label = `Map of ${count(total)} chunks; ${count(seen)} of them hold what was recalled`;
  return h(
    "figure",
    {},
    s(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label },
      ...dots.map(({ dot }) => dot),
      question !== undefined && cross(...toScreen(...question)),
    ),
    h(
      "figcaption",
      { class: "hint" },
      `${count(total)} chunks, near where alike.${some} The cross is the question. The two directions are ` +
        `${percent(shares[0])} and ${percent(shares[1])} of all differences.`,
    ),
  );
}

/** The same scale both ways, as large as it goes. */
function scale(points: readonly (readonly [number, number])[]) {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [low, high] = [Math.min(...ys), Math.max(...ys)];
  const per = Math.min(
    (WIDTH - 2 * MARGIN) / Math.max(right - left, 1e-6),
    (HEIGHT - 2 * MARGIN) / Math.max(high - low, 1e-6),
  );
  const at = (value: number) => Math.round(value * 10) / 10;
  return (x: number, y: number): [number, number] => [
    at(WIDTH / 2 + (x - (left + right) / 2) * per),
    at(HEIGHT / 2 - (y - (low + high) / 2) * per),
  ];
}

function cross(x: number, y: number): SVGElement {
  const path = `M${x - 7} ${y}h14M${x} ${y - 7}v14`;
  return s(
    "g",
    { class: "question" },
    s("title", {}, "the question"),
    s("path", { d: path, class: "halo" }),
    s("path", { d: path }),
  );
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
