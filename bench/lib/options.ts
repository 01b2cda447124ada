import { InvalidArgumentError } from "commander";

/** Parsers of option values, for commander: they throw what it prints. */

export function positiveInteger(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) {
    throw new InvalidArgumentError(`expected a whole number above 0, got "${text}"`);
  }
  return Number(text);
}

export function integer(text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    throw new InvalidArgumentError(`expected a whole number, got "${text}"`);
  }
  return Number(text);
}

export function cosine(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= -1 && value <= 1)) {
    throw new InvalidArgumentError(`expected a number from -1 to 1, got "${text}"`);
  }
  return value;
}

/** Items between commas, each one parsed; none twice. */
export function list<T>(parse: (text: string) => T): (text: string) => T[] {
  return (text) => {
    const items = text.split(",").map((item) => parse(item.trim()));
    if (new Set(items).size !== items.length) {
      throw new InvalidArgumentError(`an item occurs twice in "${text}"`);
    }
    return items;
  };
}

export function oneOf<T extends string>(names: readonly T[]): (text: string) => T {
  return (text) => {
    const found = names.find((name) => name === text);
    if (found === undefined) {
      throw new InvalidArgumentError(`expected one of ${names.join(", ")}, got "${text}"`);
    }
    return found;
  };
}
