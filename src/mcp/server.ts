import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type {
  CallToolResult,
  ServerNotification,
  ServerRequest,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { EVERYTHING } from "../adapters/entries.js";
import { nearest } from "../adapters/nearest.js";
import { isPlainObject } from "../internal/check.js";
import { packageVersion } from "../package.js";
import { DEFAULT_BUDGET } from "../recall/options.js";
import type { Entry } from "../types.js";
import type { McpScope } from "./scope.js";
import { sessionsOf } from "./sessions.js";
import { explain } from "./tool-error.js";

type ToolExtra = RequestHandlerExtra<ServerRequest, ServerNotification>;

const RESULTS = 10;
const MOST_RESULTS = 100;
const MOST_BUDGET = 100_000;
const NOTHING_NEW = "text: expected something new, got what was recalled alone";

const id = z.string().describe("The memory's id, as the other tools give it");

/**
 * The memory as tools of the Model Context Protocol: mem0's nine, by the names that models know, and
 * `pack_context`, which fits what matters into a budget. "Entities" are sessions here: the scope itself is
 * not a model's to choose.
 */
export function createMcpServer({ bank, session, onError }: McpScope): McpServer {
  const server = new McpServer({ name: "dentate", version: packageVersion() });
  /** A tool whose failure is an answer, as models need it. */
  const told =
    <Args extends readonly unknown[]>(work: (...args: Args) => Promise<CallToolResult>) =>
    async (...args: Args): Promise<CallToolResult> => {
      try {
        return await work(...args);
      } catch (error) {
        const isTheirs = error instanceof TypeError || error instanceof RangeError;
        if (!isTheirs) onError?.(error);
        return { ...answer({ error: explain(error) }), isError: true };
      }
    };

  server.registerTool(
    "add_memory",
    {
      description: "Remember a text for later conversations, word by word.",
      inputSchema: {
        text: z.string().min(1).describe("What to remember"),
        happened_at: z
          .string()
          .optional()
          .describe("When it happened, unless now: ISO 8601, UTC where it names no offset"),
        // Not a record, which would leave out a field `__proto__`.
        metadata: z
          .unknown()
          .refine(isPlainObject, "expected an object")
          .meta({ type: "object", additionalProperties: true })
          .optional(),
      },
    },
    told(async ({ text, happened_at: at, metadata }) => {
      const added = await bank.add(
        {
          role: "user",
          content: text,
          ...(session !== undefined && { session }),
          ...(at !== undefined && { at }),
          ...(metadata !== undefined && { metadata: metadata as never }),
        },
        { stripRecalled: true },
      );
      if (added.status === "recalled") throw new RangeError(NOTHING_NEW);
      return answer(added);
    }),
  );

  server.registerTool(
    "search_memories",
    {
      description: "The memories that answer a question best, best first.",
      inputSchema: {
        query: z.string().min(1).describe("A question, or words to look for"),
        limit: z.int().min(1).max(MOST_RESULTS).default(RESULTS),
      },
      annotations: { readOnlyHint: true },
    },
    told(async ({ query, limit }, { signal }) => {
      const found = await nearest(bank, query, limit, { signal });
      return answer({ results: found.map((item) => ({ ...shown(item), score: item.score })) });
    }),
  );

  server.registerTool(
    "pack_context",
    {
      description:
        "What was said before that matters for a question, as text within a budget of tokens.",
      inputSchema: {
        query: z.string().min(1).describe("The question that the context is for"),
        token_budget: z.int().min(1).max(MOST_BUDGET).default(DEFAULT_BUDGET),
      },
      annotations: { readOnlyHint: true },
    },
    told(async ({ query, token_budget: budget }, { signal }) => {
      const { text } = await bank.recall(query, { budget, signal, marked: true });
      return { content: [{ type: "text", text }] };
    }),
  );

  server.registerTool(
    "get_memories",
    {
      description: "All memories, oldest first, a page at a time.",
      inputSchema: {
        after: id.optional().describe("The id of the last memory of the page before"),
        limit: z.int().min(1).max(MOST_RESULTS).default(RESULTS),
      },
      annotations: { readOnlyHint: true },
    },
    told(async ({ after, limit }) => {
      const found = await bank.list({ limit, ...(after !== undefined && { after }) });
      return answer({ results: found.map(shown) });
    }),
  );

  server.registerTool(
    "get_memory",
    {
      description: "One memory.",
      inputSchema: { memory_id: id },
      annotations: { readOnlyHint: true },
    },
    told(async ({ memory_id: wanted }) => answerFound(await bank.get(wanted), wanted)),
  );

  server.registerTool(
    "update_memory",
    {
      description: "Replace a memory's text; the old one stays in its history.",
      inputSchema: { memory_id: id, text: z.string().min(1) },
    },
    told(async ({ memory_id: wanted, text }) =>
      answerFound(await bank.update(wanted, { content: text }), wanted),
    ),
  );

  server.registerTool(
    "delete_memory",
    {
      description: "Forget a memory.",
      inputSchema: { memory_id: id },
      annotations: { destructiveHint: true },
    },
    told(async ({ memory_id: wanted }) => answer({ deleted: await bank.delete(wanted) })),
  );

  server.registerTool(
    "delete_all_memories",
    {
      description: "Forget everything. It cannot be undone.",
      annotations: { destructiveHint: true },
    },
    told(async () => answer({ deleted: await bank.deleteWhere(EVERYTHING) })),
  );

  server.registerTool(
    "list_entities",
    {
      description: "The conversations that memories are of, and how many each has.",
      annotations: { readOnlyHint: true },
    },
    told(async ({ signal, _meta: meta, sendNotification }: ToolExtra) => {
      const token = meta?.progressToken;
      const { entries: total } = await bank.stats();
      const results = await sessionsOf(bank, signal, async (progress) => {
        if (token === undefined) return;
        await sendNotification({
          method: "notifications/progress",
          params: { progressToken: token, progress, total: Math.max(total, progress) },
        });
      });
      return answer({ results });
    }),
  );

  server.registerTool(
    "delete_entities",
    {
      description: "Forget all memories of a conversation.",
      inputSchema: { name: z.string().min(1).describe("As list_entities gives it") },
      annotations: { destructiveHint: true },
    },
    told(async ({ name }) => answer({ deleted: await bank.deleteWhere({ session: name }) })),
  );

  return server;
}

function shown({ id: memory, content, role, speaker, session, at, metadata }: Entry) {
  return {
    ...{ id: memory, memory: content, role, session, at: at.toISOString() },
    ...(speaker !== undefined && { speaker }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

function answer(value: object) {
  return { content: [{ type: "text" as const, text: JSON.stringify(value) }] };
}

function answerFound(entry: Entry | undefined, wanted: string) {
  if (entry !== undefined) return answer(shown(entry));
  return { ...answer({ error: `there is no memory "${wanted}"` }), isError: true };
}
