/** Pairs of sentences, and how much the same they say: from 0, nothing in common, to 5, the same. */
export const PAIRS: readonly (readonly [string, string, number])[] = [
  ["A dog is running along the beach.", "A dog runs on the beach.", 5],
  ["The train to Lyon leaves at nine.", "At nine the train departs for Lyon.", 5],
  ["She bought a new bicycle last week.", "Last week she purchased a new bike.", 5],
  ["He is allergic to nuts.", "Nuts give him an allergic reaction.", 4.8],
  ["The meeting was moved to Friday.", "They rescheduled the meeting for Friday.", 4.8],
  ["A child is playing the violin.", "A young girl plays a violin.", 4],
  ["The company raised its prices.", "Prices went up at the firm.", 4.2],
  ["Two men are repairing a roof.", "Workers fix the top of a house.", 3.8],
  ["It will rain in Oslo tomorrow.", "The forecast for Oslo is wet.", 3.8],
  ["The chef is slicing an onion.", "The cook is chopping a carrot.", 2.8],
  ["A cat sleeps on the sofa.", "A dog sleeps on the carpet.", 2.4],
  ["The car broke down on the motorway.", "The bus was late this morning.", 1.6],
  ["He plays chess every Sunday.", "She plays tennis every Monday.", 1.8],
  ["The library closes at six.", "The museum opens at ten.", 1.8],
  ["Water boils at a hundred degrees.", "Tea is made with hot water.", 1.8],
  ["The senate passed the bill.", "A goalkeeper saved the penalty.", 0.2],
  ["My sister lives in Toronto.", "Enzymes speed up reactions.", 0],
  ["The recipe needs two eggs.", "The satellite reached its orbit.", 0],
  ["He repaired the old clock.", "The stock market fell sharply.", 0.2],
  ["A fire broke out in the warehouse.", "She learned to knit a scarf.", 0.2],
];

/** The correlation of two lists' ranks; equal values share their ranks' mean. */
export function spearman(a: readonly number[], b: readonly number[]): number {
  const [x, y] = [ranks(a), ranks(b)];
  const middle = (a.length - 1) / 2;
  const product = (p: readonly number[], q: readonly number[]) =>
    p.reduce((sum, value, i) => sum + (value - middle) * (q[i]! - middle), 0);
  return product(x, y) / Math.sqrt(product(x, x) * product(y, y));
}

function ranks(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2);
}
