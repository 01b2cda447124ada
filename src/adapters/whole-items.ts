import type { AgentInputItem } from "@openai/agents-core";

/**
 * The latest items of a conversation that a model can be given: at most `limit`, and none that needs one which
 * was left out. Responses are refused where they hold
 *
 *   a result without its call                         call | result
 *   what a model said after reasoning, without that   reasoning | call, call, message
 *
 * so what the cut takes one half of goes as a whole. Calls without a result are what a run that was
 * interrupted goes on from: they stay.
 */
export function latestWhole(items: readonly AgentInputItem[], limit: number): AgentInputItem[] {
  let from = Math.max(0, items.length - limit);
  if (isAfterReasoning(items, from)) {
    while (from < items.length && isSaid(items[from]!)) from++;
  }
  const latest = items.slice(from);
  const calls = new Set(latest.filter((item) => !isResult(item)).map(callOf));
  return latest.filter((item) => !isResult(item) || calls.has(callOf(item)));
}

/** Whether an item answers a call. */
export function isResult({ type }: AgentInputItem): boolean {
  return type !== undefined && /_(?:result|output)$/.test(type);
}

export function callOf(item: AgentInputItem): string | undefined {
  return "callId" in item && typeof item.callId === "string" ? item.callId : undefined;
}

function isAfterReasoning(items: readonly AgentInputItem[], from: number): boolean {
  for (let i = from - 1; i >= 0; i--) {
    if (items[i]!.type === "reasoning") return true;
    if (!isSaid(items[i]!)) return false;
  }
  return false;
}

/** A model's own words or call, which its reasoning before it belongs to. */
function isSaid(item: AgentInputItem): boolean {
  const isOthers = "role" in item && item.role !== "assistant";
  return !isOthers && !isResult(item) && item.type !== "reasoning";
}
