import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Memory } from "../../memory.js";
import type { RecallOptions } from "../../recall/options.js";
import type { Recall, RecallItem } from "../../types.js";
import { expectBank } from "../authenticate.js";
import type { ServiceEnv } from "../caller.js";
import { Bank, RecallRequest, RecallResponse } from "../schemas.js";
import { body, json, REFUSALS } from "./answers.js";

const recall = createRoute({
  method: "post",
  path: "/v1/banks/{bank}/recall",
  summary: "The text for a question that fits a token budget",
  request: { params: z.object({ bank: Bank }), body: body(RecallRequest) },
  responses: { 200: json(RecallResponse, "the recall"), ...REFUSALS },
});

export function addRecallRoute(app: OpenAPIHono<ServiceEnv>, memory: Memory): void {
  app.openapi(recall, async (context) => {
    const { bank } = context.req.valid("param");
    expectBank(context.get("caller"), bank);
    const { question, explain = false, ...options } = context.req.valid("json");
    // A caller that hangs up is not worked for any longer.
    const signal = context.req.raw.signal;
    const found = await memory
      .bank(bank)
      .recall(question, { ...(options as RecallOptions), signal });
    // As JSON has it: dates are texts.
    return context.json((explain ? found : withoutReasons(found)) as never, 200);
  });
}

/** What matches in an item is looked for when somebody looks at it, and to write it down is to look. */
function withoutReasons({ items, ...rest }: Recall): object {
  return { ...rest, items: items.map(briefly) };
}

/** Field by field, and dates as the texts that JSON makes of them: it takes half as long. */
function briefly(item: RecallItem): object {
  return {
    id: item.id,
    role: item.role,
    speaker: item.speaker,
    session: item.session,
    at: item.at.toISOString(),
    ingestedAt: item.ingestedAt.toISOString(),
    expiresAt: item.expiresAt?.toISOString(),
    version: item.version,
    content: item.content,
    replacedCharacters: item.replacedCharacters,
    toolCallId: item.toolCallId,
    toolName: item.toolName,
    metadata: item.metadata,
    span: item.span,
    score: item.score,
    pieces: item.pieces,
  } satisfies Record<Exclude<keyof RecallItem, "reasons" | "highlights">, unknown>;
}
