import { type About, type Asked, sessions } from "./api.js";
import { h, place } from "./dom.js";
import { count, name } from "./format.js";

export interface BenchFormOptions {
  readonly service: About;
  readonly bank: string;
  readonly query: URLSearchParams;
  readonly onAsk: (asked: Asked) => void;
}

export interface BenchForm {
  readonly element: HTMLElement;
  asked(): Asked;
}

/** Where the slider stops: steps of about a quarter. */
const BUDGETS = [
  50, 75, 100, 150, 200, 250, 300, 400, 500, 650, 800, 1000, 1300, 1600, 2000, 2600, 3200, 4000,
  5000, 6500, 8000, 10_000, 13_000, 16_000, 20_000, 26_000, 32_000,
] as const;
const MOST_BUDGET = 1_000_000;
/** Milliseconds without another change after which it is asked. */
const PAUSE_MS = 150;

/** The question, the budget as a slider and as a number, and how to rank and to pack. */
export function benchForm({ service, bank, query, onAsk }: BenchFormOptions): BenchForm {
  const question = h("input", {
    id: "question",
    type: "search",
    autocomplete: "off",
    placeholder: "What do you want to know?",
    value: query.get("question") ?? "",
  });
  const slider = h("input", {
    id: "budget-slider",
    type: "range",
    min: "0",
    max: String(BUDGETS.length - 1),
    "aria-label": "Budget",
  });
  const budget = h("input", {
    id: "budget",
    type: "number",
    min: "0",
    max: String(MOST_BUDGET),
    inputMode: "numeric",
  });
  const strategy = choice("strategy", service.strategies, query.get("strategy") ?? "hybrid");
  const packer = choice("packer", service.packers, query.get("packer") ?? "sessions");
  const session = h("select", { id: "session" }, h("option", { value: "" }, "all"));
  fillSessions(session, bank, query.get("session") ?? "");

  let timer: ReturnType<typeof setTimeout> | undefined;
  const askNow = () => {
    clearTimeout(timer);
    onAsk(asked());
  };
  const askSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(askNow, PAUSE_MS);
  };
  const setBudget = (tokens: number) => {
    budget.value = String(tokens);
    slider.setAttribute("aria-valuetext", `${count(tokens)} tokens`);
    // How far it is filled, which only some browsers draw themselves.
    place(slider, { "--at": `${(Number(slider.value) / (BUDGETS.length - 1)) * 100}%` });
  };
  const setSlider = (tokens: number) => {
    const next = BUDGETS.findIndex((stop) => stop >= tokens);
    slider.value = String(next < 0 ? BUDGETS.length - 1 : next);
    setBudget(tokens);
  };
  setSlider(budgetIn(query.get("budget"), service.budget));

  slider.addEventListener("input", () => {
    setBudget(BUDGETS[Number(slider.value)]!);
    askSoon();
  });
  budget.addEventListener("input", () => {
    if (!budget.validity.valid || budget.value === "") return;
    setSlider(Number(budget.value));
    budget.value = String(Number(budget.value));
    askSoon();
  });
  question.addEventListener("input", askSoon);
  for (const select of [strategy, packer, session]) select.addEventListener("change", askNow);

  const asked = (): Asked => ({
    question: question.value,
    budget: budgetIn(budget.value, service.budget),
    strategy: strategy.value,
    packer: packer.value,
    session: session.value === "" ? undefined : session.value.slice(1),
  });
  const element = h(
    "form",
    {
      class: "bench-form",
      role: "search",
      onsubmit: (event: Event) => {
        event.preventDefault();
        askNow();
      },
    },
    h("label", { for: "question" }, "Question"),
    h("div", { class: "row" }, question, h("button", { class: "primary" }, "Recall")),
    h(
      "div",
      { class: "options" },
      h(
        "div",
        { class: "budget" },
        h("label", { for: "budget" }, "Budget"),
        slider,
        budget,
        h("span", { class: "unit" }, "tokens"),
      ),
      labelled("Strategy", strategy),
      labelled("Packer", packer),
      labelled("Session", session),
    ),
  );
  return { element, asked };
}

function budgetIn(text: string | null, otherwise: number): number {
  const tokens = text === null || text === "" ? Number.NaN : Number(text);
  return Number.isInteger(tokens) && tokens >= 0 && tokens <= MOST_BUDGET ? tokens : otherwise;
}

function labelled(text: string, select: HTMLSelectElement): HTMLElement {
  return h("div", { class: "field" }, h("label", { for: select.id }, text), select);
}

function choice(id: string, values: readonly string[], chosen: string): HTMLSelectElement {
  const select = h("select", { id }, ...values.map((value) => h("option", { value }, value)));
  if (values.includes(chosen)) select.value = chosen;
  return select;
}

/** A value is a name behind `=`, since "" stands for all; the one asked for is there at once. */
async function fillSessions(
  select: HTMLSelectElement,
  bank: string,
  chosen: string,
): Promise<void> {
  const option = (session: string) => h("option", { value: `=${session}` }, name(session));
  if (chosen !== "") {
    select.append(option(chosen));
    select.value = `=${chosen}`;
  }
  try {
    const { sessions: found } = await sessions(bank);
    select.append(
      ...found.filter(({ session }) => session !== chosen).map(({ session }) => option(session)),
    );
  } catch {
    // The recall, which is asked at the same time, says what is wrong.
  }
}
