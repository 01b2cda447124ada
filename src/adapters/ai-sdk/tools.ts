import { jsonSchema, type Tool, tool } from "ai";
import { nearest } from "../nearest.js";
import { type OwnBank, ownBank } from "../own-bank.js";

/** Whose memory the tools are for: the model is not asked. */
export interface MemoryToolsOptions extends OwnBank {
  readonly session?: string | undefined;
}

/** What `searchMemories` gives a model of an entry. */
export interface FoundMemory {
  readonly id: string;
  readonly memory: string;
  /** When it was said: ISO 8601. */
  readonly at: string;
  readonly score: number;
}

const MOST_RESULTS = 50;
const RESULTS = 5;

/**
 * Tools by which a model itself remembers and looks up.
 *
 * ```ts
 * await generateText({ model, tools: memoryTools({ memory, bank: "user-42" }), prompt });
 * ```
 */
export function memoryTools(options: MemoryToolsOptions): {
  addMemory: Tool<{ memory: string; happenedAt?: string }, { id: string }>;
  searchMemories: Tool<{ query: string; limit?: number }, FoundMemory[]>;
  deleteMemory: Tool<{ id: string }, { deleted: number }>;
} {
  const { memory, session } = options;
  const own = ownBank(memory, options);
  return {
    addMemory: tool({
      description: "Remember something for later conversations.",
      inputSchema: jsonSchema<{ memory: string; happenedAt?: string }>({
        type: "object",
        properties: {
          memory: { type: "string", description: "What to remember, as a sentence" },
          happenedAt: { type: "string", description: "When it happened, unless now: ISO 8601" },
        },
        required: ["memory"],
        additionalProperties: false,
      }),
      execute: async ({ memory: content, happenedAt: at }) => {
        const turn = {
          role: "assistant" as const,
          content,
          ...(at !== undefined && { at }),
          ...(session !== undefined && { session }),
        };
        const { id } = await own.add(turn, { stripRecalled: true });
        if (id === undefined) {
          throw new RangeError("memory: expected something new, got what was recalled alone");
        }
        return { id };
      },
    }),
    searchMemories: tool({
      description: "Look for what was said or remembered in earlier conversations.",
      inputSchema: jsonSchema<{ query: string; limit?: number }>({
        type: "object",
        properties: {
          query: { type: "string", description: "What to look for, as a question or words" },
          limit: { type: "integer", minimum: 1, maximum: MOST_RESULTS },
        },
        required: ["query"],
        additionalProperties: false,
      }),
      execute: async ({ query, limit = RESULTS }, { abortSignal }) => {
        const signal = abortSignal === undefined ? {} : { signal: abortSignal };
        const found = await nearest(own, query, Math.min(limit, MOST_RESULTS), signal);
        return found.map(({ id, content, at, score }) => ({
          ...{ id, memory: content, at: at.toISOString(), score },
        }));
      },
    }),
    deleteMemory: tool({
      description: "Forget something that was remembered, by the id that searchMemories gave.",
      inputSchema: jsonSchema<{ id: string }>({
        type: "object",
        properties: { id: { type: "string" } },
        required: ["id"],
        additionalProperties: false,
      }),
      execute: async ({ id }) => ({ deleted: await own.delete(id) }),
    }),
  };
}
