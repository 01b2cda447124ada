import { type About, about, banks, key, ServiceError } from "./api.js";
import { bankList } from "./bank-list.js";
import { bankView } from "./bank-view.js";
import { byId, fill, h } from "./dom.js";
import { keyForm } from "./key-form.js";
import { empty, failure, loading } from "./notice.js";
import { currentPlace, rename, takeKey } from "./place.js";

/** The page: asks what there is, and shows the place that the address names. */

let service: About | undefined;
let names: readonly string[] = [];
/** Counts what was shown: an answer that comes after something else was asked for is dropped. */
let turn = 0;

/** Asks for the key where one is needed, and for the banks. */
async function start(): Promise<void> {
  const mine = ++turn;
  fill(byId("main"), loading());
  fill(byId("banks"));
  try {
    const [found, list] = await Promise.all([about(), banks()]);
    if (mine !== turn) return;
    service = found;
    names = list;
    show();
  } catch (error) {
    if (mine !== turn) return;
    service = undefined;
    fill(byId("about"));
    if (error instanceof ServiceError && error.status === 401) {
      const refused = key.get() === undefined ? undefined : "That key is not valid here";
      key.forget();
      fill(
        byId("main"),
        keyForm(refused, (given) => {
          key.set(given);
          start();
        }),
      );
    } else {
      const again = h("button", { type: "button", textContent: "Try again", onclick: start });
      fill(byId("main"), failure(error), again);
    }
  }
}

function show(): void {
  if (service === undefined) return;
  turn++;
  const { bank } = currentPlace();
  showAbout(service);
  fill(byId("banks"), bankList(names, bank));
  document.title = bank === undefined ? "Dentate" : `${bank} · Dentate`;
  fill(
    byId("main"),
    bank === undefined
      ? welcome()
      : bankView({ service, bank, place: currentPlace(), onDropped: goHome }),
  );
}

function welcome(): HTMLElement {
  return names.length === 0
    ? empty("No bank holds anything yet", "What is added to this store will be found here.")
    : empty("Choose a bank", "Its entries, and what a question recalls of them, are shown here.");
}

function goHome(): void {
  // No event: that would show what there was.
  rename("#/");
  start();
  byId("main").focus();
}

function showAbout({ version, readOnly }: About): void {
  const forget = h("button", {
    type: "button",
    class: "quiet",
    textContent: "Forget the key",
    onclick: () => {
      key.forget();
      start();
    },
  });
  fill(
    byId("about"),
    readOnly &&
      h("span", { class: "badge", title: "Deleting needs: dentate inspect --write" }, "read only"),
    h("span", { class: "version" }, version),
    h("button", { type: "button", class: "quiet", textContent: "Refresh", onclick: start }),
    key.get() !== undefined && forget,
  );
}

const given = takeKey();
if (given !== undefined) key.set(given);
addEventListener("hashchange", () => {
  show();
  // What had the focus is gone.
  byId("main").focus({ preventScroll: true });
  scrollTo(0, 0);
});
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("main").focus();
});
start();
