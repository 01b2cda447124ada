import { type Asked, type BankMap, map, type Recall, recall } from "./api.js";
import type { BankContext } from "./bank-view.js";
import { benchForm } from "./bench-form.js";
import { fill, h, say } from "./dom.js";
import { countOf, ms } from "./format.js";
import { empty, failure } from "./notice.js";
import { addressOf, rename } from "./place.js";
import { recallView } from "./recall-view.js";

/**
 * The recall bench: a question and a budget, and what comes of them. Each change asks again, and gives up
 * what was asked before; the map comes after the recall, which does not wait for it.
 */
export function bench({ service, bank, query, onChanged }: BankContext): HTMLElement {
  const result = h("div", { class: "result" });
  let running: AbortController | undefined;
  let lastMap: BankMap | undefined;

  async function ask(asked: Asked): Promise<void> {
    running?.abort();
    if (asked.question.trim() === "") {
      running = undefined;
      fill(result, nothingAsked());
      return;
    }
    running = new AbortController();
    const { signal } = running;
    rename(
      addressOf(bank, "recall", {
        question: asked.question,
        budget: String(asked.budget),
        strategy: asked.strategy,
        packer: asked.packer,
        session: asked.session,
      }),
    );
    result.setAttribute("aria-busy", "true");
    try {
      const found = await recall(bank, asked, signal);
      const view = recallView(found, { service, bank, onDeleted: again });
      view.showMap(lastMap);
      fill(result, view.element);
      say(summaryOf(found));
      const ids = found.items.map(({ id }) => id);
      // What else there is stays as it was shown, whatever becomes of the map.
      const drawn = await map(bank, asked.question, ids, signal).catch((error: unknown) => {
        if (!signal.aborted) view.showMapFailure(error);
      });
      if (signal.aborted || drawn === undefined) return;
      lastMap = drawn;
      view.showMap(drawn);
    } catch (error) {
      if (!signal.aborted) fill(result, failure(error));
    } finally {
      if (!signal.aborted) result.removeAttribute("aria-busy");
    }
  }

  const again = async () => {
    onChanged();
    await ask(form.asked());
    // The button that was pressed is gone: whoever uses the keyboard goes on from here.
    result.querySelector<HTMLElement>("#panel-why")?.focus();
  };
  const form = benchForm({ service, bank, query, onAsk: ask });
  ask(form.asked());
  return h("section", { class: "bench", "aria-label": "Recall" }, form.element, result);
}

function nothingAsked(): HTMLElement {
  return empty(
    "Ask something",
    "You will see the text that a model would get, what of the budget it takes, and why each entry is in it.",
  );
}

/** For those who listen: what those who look see at a glance. */
function summaryOf({ items, tokens, budget, timings }: Recall): string {
  const entries = countOf(items.length, "entry", "entries");
  return `${entries}, ${tokens} of ${countOf(budget, "token")}, ${ms(timings.total)}`;
}
