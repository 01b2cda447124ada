import { types } from "node:util";
import { expected, outOfRange } from "./check.js";

/** The farthest Unix milliseconds a Date can hold, either way. */
const FARTHEST = 8.64e15;

const ISO =
  /^([+-]\d{6}|\d{4})(-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9}))?(?:(Z)|([+-]\d\d):?(\d\d))?)?$/i;

/**
 * Unix milliseconds of a Date, of an ISO 8601 text or of milliseconds. A text without an offset is
 * UTC: what a store holds must not depend on the time zone of the machine that filled it.
 */
export function parseMoment(argument: string, value: unknown): number {
  if (types.isDate(value)) {
    // The Date's own time, whatever a subclass answers: nothing else is sure to be a number.
    const ms = Date.prototype.getTime.call(value);
    if (Number.isNaN(ms)) throw outOfRange(argument, "a valid Date", value);
    return ms;
  }
  if (typeof value === "number") {
    if (!(Math.abs(value) <= FARTHEST)) {
      throw outOfRange(argument, "Unix milliseconds within 100,000,000 days of 1970", value);
    }
    return Math.trunc(value);
  }
  if (typeof value === "string") {
    const ms = parseIso(value);
    if (Number.isNaN(ms)) throw outOfRange(argument, "an ISO 8601 date and time", value);
    return ms;
  }
  throw expected(argument, "a Date, an ISO 8601 string or Unix milliseconds", value);
}

function parseIso(text: string): number {
  const match = ISO.exec(text);
  if (match === null) return Number.NaN;
  const [, year, date, time = "00:00", fraction = "0", , hours, minutes] = match;
  const zone = hours === undefined ? "Z" : `${hours}:${minutes}`;
  // Date.parse makes the 31st of February the 3rd of March.
  const day = Date.parse(`${year}${date}T00:00Z`);
  if (new Date(day).getUTCDate() !== Number(date?.slice(-2))) return Number.NaN;
  const seconds = time.length === "00:00".length ? ":00" : "";
  return Date.parse(`${year}${date}T${time}${seconds}.${fraction.slice(0, 3)}${zone}`);
}
