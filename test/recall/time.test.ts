import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { timesNamed } from "../../src/recall/time.js";
import { datesNamed } from "../../src/text/dates.js";
import { words } from "../../src/text/words.js";

/** A Friday. */
const NOW = Date.UTC(2024, 2, 15, 10);

async function written(question: string): Promise<string[]> {
  const asked = words(question);
  const dates = datesNamed(question, asked);
  const isDate = (from: number, to: number) =>
    dates.some(({ word }) => asked[word]!.start >= from && asked[word]!.end <= to);
  const named = await timesNamed(question, NOW, isDate);
  return named.map(({ from, to }) => `${date(from)}..${date(to)}`);
}

function date(at: number): string {
  return Number.isFinite(at) ? new Date(at).toISOString().replace(/T00.*|:.*/, "") : "";
}

describe("times in questions", () => {
  const cases: [string, string][] = [
    ["What did she say yesterday?", "2024-03-14..2024-03-15"],
    ["What did she say yesterday morning?", "2024-03-14..2024-03-15"],
    ["What did we do last week?", "2024-03-04..2024-03-11"],
    ["this week", "2024-03-11..2024-03-18"],
    ["What did he buy two days ago?", "2024-03-13..2024-03-14"],
    ["3 weeks ago", "2024-02-19..2024-02-26"],
    ["last month", "2024-02-01..2024-03-01"],
    ["2 months ago", "2024-01-01..2024-02-01"],
    ["last year", "2023-01-01..2024-01-01"],
    ["on Monday", "2024-03-11..2024-03-12"],
    ["over the weekend", "2024-03-09..2024-03-11"],
    ["next Friday", "2024-03-22..2024-03-23"],
    ["3 hours ago", "2024-03-15T04..2024-03-15T10"],
    ["in the last 3 days", "2024-03-12..2024-03-15T10"],
    ["between March 3 and March 9", "2024-03-03..2024-03-10"],
    ["from Monday to Wednesday", "2024-03-11..2024-03-14"],
    ["since May 2023", "2023-05-01..2024-03-15T10"],
    ["before yesterday", "..2024-03-14"],
    ["the week before August 3, 2023", "2023-07-24..2023-07-31"],
    ["on the Sunday before October 25, 2022", "2022-10-23..2022-10-24"],
    ["last weekend before April 10, 2023", "2023-04-08..2023-04-10"],
    ["Was geschah gestern Abend?", "2024-03-14..2024-03-15"],
    ["letzte Woche", "2024-03-04..2024-03-11"],
    ["vor zwei Tagen", "2024-03-13..2024-03-14"],
    ["am 5. Mai", "2023-05-05..2023-05-06"],
    ["la semaine dernière", "2024-03-04..2024-03-11"],
    ["il y a deux jours", "2024-03-13..2024-03-14"],
    ["¿Qué dijo la semana pasada?", "2024-03-04..2024-03-11"],
    ["hace dos días", "2024-03-13..2024-03-14"],
    ["ayer", "2024-03-14..2024-03-15"],
    ["na semana passada", "2024-03-04..2024-03-11"],
    ["há três dias", "2024-03-12..2024-03-13"],
    ["dois dias atrás", "2024-03-13..2024-03-14"],
    ["la settimana scorsa", "2024-03-04..2024-03-11"],
    ["due giorni fa", "2024-03-13..2024-03-14"],
    ["vorige week", "2024-03-04..2024-03-11"],
    ["gisteravond", "2024-03-14..2024-03-15"],
    ["на прошлой неделе", "2024-03-04..2024-03-11"],
    ["вчора", "2024-03-14..2024-03-15"],
    ["先週", "2024-03-04..2024-03-11"],
    ["2日前", "2024-03-13..2024-03-14"],
    ["上周", "2024-03-04..2024-03-11"],
    ["两天前", "2024-03-13..2024-03-14"],
  ];
  for (const [question, expected] of cases) {
    it(`finds ${expected} in "${question}"`, async () => {
      assert.deepEqual(await written(question), [expected]);
    });
  }

  for (const question of [
    "May I ask you something?",
    "Why did they march on?",
    "What is new in version 2.10.3?",
    "steps 12 to 20",
    "I was there for 3 years",
    "What day is it?",
    "hace 99999999999 años",
    "275000 years ago",
    "two days before the move",
    "Good morning",
    "What did she do in a week?",
    "In which hotel on Mars do they sat?",
    // Matched as words: text/dates.ts.
    "What did she do in May 2023?",
    "What happened on 2023-05-25?",
    "",
  ]) {
    it(`finds none in "${question}"`, async () => assert.deepEqual(await written(question), []));
  }
});
