/**
 * What says that a question may speak of a time, by language: without such a word the date library is
 * not asked, nor even loaded. The languages are those whose everyday phrases (yesterday, last week, two
 * days ago, last month, on Monday) it reads soundly; what it lacks of some is in RELATIVE.
 */
export const LOCALES = ["en", "de", "fr", "es", "pt", "it", "nl", "ru", "uk", "ja", "zh"] as const;
export type Locale = (typeof LOCALES)[number];

const WORDS: Readonly<Record<Exclude<Locale, "ja" | "zh">, string>> = {
  en:
    "yesterday today tonight tomorrow ago week weeks weekend month months year years day days hour hours morning " +
    "afternoon evening night recently lately monday tuesday wednesday thursday friday saturday sunday january " +
    "february march april may june july august september october november december summer winter spring autumn",
  de:
    "gestern vorgestern heute morgen woche wochen wochenende monat monate monaten jahr jahre jahren jahres tag tage tagen " +
    "stunden montag dienstag mittwoch donnerstag freitag samstag sonntag januar februar märz mai juni juli oktober dezember",
  fr:
    "hier aujourd demain semaine semaines mois ans année années jour jours matin soir nuit heures lundi mardi " +
    "mercredi jeudi vendredi samedi dimanche janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
  es:
    "ayer anteayer anoche hoy mañana hace semana semanas mes meses año años día días lunes martes miércoles jueves " +
    "viernes sábado domingo enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
  pt:
    "ontem anteontem hoje amanhã atrás há semana semanas mês meses ano anos dia dias segunda terça quarta quinta sexta " +
    "sábado domingo janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
  it:
    "ieri oggi domani fa settimana settimane mese mesi anno anni giorno giorni lunedì martedì mercoledì giovedì venerdì " +
    "sabato domenica gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
  nl:
    "gisteren gisteravond eergisteren vandaag geleden vorige vorig afgelopen weken maand maanden jaar dag dagen maandag dinsdag " +
    "woensdag donderdag vrijdag zaterdag zondag januari februari maart april mei juni juli augustus september oktober december",
  ru:
    "вчера позавчера сегодня назад неделе неделю недели недель месяц месяца месяце месяцев год года году лет день дня дней " +
    "понедельник вторник среду четверг пятницу субботу воскресенье январе феврале марте апреле мае июне июле августе " +
    "сентябре октябре ноябре декабре января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
  uk:
    "вчора позавчора сьогодні тому тижня тижні тижнів місяць місяця місяці рік року роки день дні днів понеділок вівторок " +
    "середу четвер пятницю суботу неділю січні лютому березні квітні травні червні липні серпні вересні жовтні листопаді грудні " +
    "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
};
const JAPANESE =
  /[昨今一]日|[先今]週|[先今]月|[昨去今]年|[日週月年]前|ヶ月前|か月前|曜日?|今朝|昨夜|\d\s*月/u;
const CHINESE =
  /[昨今前]天|[上这][个個]?(?:周|週|星期|月)|[去今前]年|[天日周週月年]前|(?:星期|周|週)[一二三四五六日天]|昨晚|\d\s*月/u;

const LOCALES_OF = new Map<string, Locale[]>();
for (const [locale, words] of Object.entries(WORDS)) {
  for (const word of words.split(" ")) {
    LOCALES_OF.set(word, [...(LOCALES_OF.get(word) ?? []), locale as Locale]);
  }
}

/** A part of a question that may speak of a time in one language: UTF-16 units. */
export interface Stretch {
  readonly locale: Locale;
  readonly start: number;
  readonly end: number;
}

/** So many UTF-16 units on each side of a word are looked at with it. */
const AROUND = 32;

/** Where a question may speak of a time; nowhere in most. What lies near each other is one stretch. */
export function stretchesOf(question: string): Stretch[] {
  const found = new Map<Locale, { locale: Locale; start: number; end: number }[]>();
  const add = (locale: Locale, index: number, length: number) => {
    const start = wordStart(question, Math.max(0, index - AROUND));
    const end = wordEnd(question, Math.min(question.length, index + length + AROUND));
    const stretches = found.get(locale);
    const last = stretches?.at(-1);
    if (stretches === undefined) found.set(locale, [{ locale, start, end }]);
    else if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else stretches.push({ locale, start, end });
  };
  for (const match of question.matchAll(/\p{L}+/gu)) {
    for (const locale of LOCALES_OF.get(match[0].toLowerCase()) ?? []) {
      add(locale, match.index, match[0].length);
    }
  }
  if (/\p{Script=Han}/u.test(question)) {
    if (JAPANESE.test(question)) add("ja", 0, question.length);
    if (CHINESE.test(question) && !/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(question)) {
      add("zh", 0, question.length);
    }
  }
  return LOCALES.flatMap((locale) => found.get(locale) ?? []);
}

function wordStart(text: string, at: number): number {
  while (at > 0 && /[\p{L}\p{N}]/u.test(text[at - 1]!)) at--;
  return at;
}

function wordEnd(text: string, at: number): number {
  while (at < text.length && /[\p{L}\p{N}]/u.test(text[at]!)) at++;
  return at;
}

/** Whether a text has a word of that language that speaks of time, in full, or a number. */
export function hasTimeWord(text: string, locale: Locale): boolean {
  if (/\d/u.test(text) || locale === "ja" || locale === "zh") return true;
  const found = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  return found.some((word) => LOCALES_OF.get(word)?.includes(locale) === true);
}

export type TimeUnit = "day" | "week" | "month" | "year";

/** `count` units before now. */
export interface Relative {
  readonly pattern: RegExp;
  readonly unit: TimeUnit;
  /** Undefined: the number that the pattern's first group has. */
  readonly count: number | undefined;
}

const units = (day: string, week: string, month: string, year: string) =>
  Object.entries({ day, week, month, year }) as [TimeUnit, string][];

/** What the library does not read of what these languages say of the past. */
export const RELATIVE: Readonly<Partial<Record<Locale, readonly Relative[]>>> = {
  en: [{ pattern: /\b(?:recently|lately)\b/giu, unit: "month", count: 0 }],
  es: [
    { pattern: /\banoche\b/giu, unit: "day", count: 1 },
    { pattern: /\banteayer\b/giu, unit: "day", count: 2 },
    { pattern: /\bsemana pasada\b/giu, unit: "week", count: 1 },
    { pattern: /\bmes pasado\b/giu, unit: "month", count: 1 },
    { pattern: /\baño pasado\b/giu, unit: "year", count: 1 },
    ...units("días?", "semanas?", "mes(?:es)?", "años?").map(([unit, name]) => ({
      pattern: new RegExp(
        `\\bhace (\\d+|una?|dos|tres|cuatro|cinco|seis) ${name}(?!\\p{L})`,
        "giu",
      ),
      unit,
      count: undefined,
    })),
  ],
  pt: [
    { pattern: /\banteontem\b/giu, unit: "day", count: 2 },
    { pattern: /\bsemana passada\b/giu, unit: "week", count: 1 },
    { pattern: /(?<!\p{L})mês passado\b/giu, unit: "month", count: 1 },
    { pattern: /\bano passado\b/giu, unit: "year", count: 1 },
    ...units("dias?", "semanas?", "m(?:ês|eses)", "anos?").flatMap(([unit, name]) => {
      const many = "(\\d+|uma?|dois|duas|três|quatro|cinco|seis)";
      return [
        `(?<!\\p{L})há ${many} ${name}(?!\\p{L})`,
        `(?<!\\p{L})${many} ${name} atrás(?!\\p{L})`,
      ].map((source) => ({ pattern: new RegExp(source, "giu"), unit, count: undefined }));
    }),
  ],
  nl: [
    { pattern: /\bgisteravond\b/giu, unit: "day", count: 1 },
    { pattern: /\beergisteren\b/giu, unit: "day", count: 2 },
  ],
  ja: [
    { pattern: /一昨日|おととい/gu, unit: "day", count: 2 },
    { pattern: /昨夜|昨晩/gu, unit: "day", count: 1 },
    { pattern: /先週/gu, unit: "week", count: 1 },
    { pattern: /先月/gu, unit: "month", count: 1 },
    { pattern: /昨年|去年/gu, unit: "year", count: 1 },
    ...units("日", "週間?", "[ヶかカ]月", "年").map(([unit, name]) => ({
      pattern: new RegExp(`(\\d+|[一二三四五六])\\s*${name}前`, "gu"),
      unit,
      count: undefined,
    })),
  ],
  zh: [
    { pattern: /上[个個]?(?:周|週|星期|礼拜)/gu, unit: "week", count: 1 },
    { pattern: /上[个個]?月/gu, unit: "month", count: 1 },
    { pattern: /去年/gu, unit: "year", count: 1 },
    ...units("[天日]", "(?:[个個]?星期|周|週)", "[个個]?月", "年").map(([unit, name]) => ({
      pattern: new RegExp(`(\\d+|[一二两兩三四五六])\\s*${name}前`, "gu"),
      unit,
      count: undefined,
    })),
  ],
};

const NUMERALS: Readonly<Record<string, number>> = Object.fromEntries(
  [
    "un una um uma 一",
    "dos dois duas 二 两 兩",
    "tres três 三",
    "cuatro quatro 四",
    "cinco 五",
    "seis 六",
  ].flatMap((words, i) => words.split(" ").map((word) => [word, i + 1])),
);

/** A number in digits, or in the words of {@link RELATIVE}. */
export function numeral(text: string): number {
  return NUMERALS[text.toLowerCase()] ?? Number(text);
}
