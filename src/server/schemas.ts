import { z } from "@hono/zod-openapi";
import { RETRIEVAL_RULES } from "../atoms/retrieval.js";
import type { Filter } from "../filter.js";
import { isPlainObject } from "../internal/check.js";
import { DEFAULT_MAP_CHUNKS, DEFAULT_PAGE, LARGEST_PAGE, MOST_MAP_CHUNKS } from "../options.js";
import { PACKERS } from "../pack/packers.js";
import { DEFAULT_BUDGET } from "../recall/options.js";
import { STRATEGIES } from "../recall/strategies.js";
import { ROLES } from "../turn.js";

/**
 * What requests and answers look like: the OpenAPI document is made of these. They say what is there
 * and of which kind; what the engine checks itself (how long, how deep, which dates) is left to it, so
 * that a text over HTTP is refused in the words of the library.
 */

const moment = z.union([z.string(), z.number()]).openapi({
  description: "an ISO 8601 text (UTC unless it has an offset) or Unix milliseconds",
  example: "2026-05-04T10:00:00Z",
});
/**
 * How deep and how large it may be is for the engine to say: a schema of all JSON would descend first, and one
 * of records would leave out a field `__proto__`.
 */
const metadata = z
  .custom<Record<string, unknown>>(isPlainObject, "expected an object")
  .openapi({ type: "object" });

export const Bank = z
  .string()
  .min(1)
  .openapi({ param: { name: "bank", in: "path" }, example: "user-42" });
export const EntryId = z
  .string()
  .min(1)
  .openapi({ param: { name: "id", in: "path" }, example: "e1" });

export const Turn = z
  .strictObject({
    role: z.enum(ROLES),
    content: z.union([
      z.string(),
      z.array(z.strictObject({ type: z.literal("text"), text: z.string() })),
    ]),
    speaker: z.string().optional(),
    session: z.string().optional(),
    at: moment.optional(),
    toolCallId: z.string().optional(),
    toolName: z.string().optional(),
    metadata: metadata.optional(),
    expiresAt: moment.optional(),
  })
  .openapi("Turn");

const removable = { speaker: true, toolCallId: true, toolName: true, metadata: true } as const;
export const TurnPatch = Turn.partial()
  .extend({
    ...Object.fromEntries(
      Object.keys(removable).map((field) => [
        field,
        Turn.shape[field as keyof typeof removable].nullable(),
      ]),
    ),
    expiresAt: moment.nullable().optional(),
  })
  .openapi("TurnPatch");

export const AddRequest = z
  .strictObject({
    turns: z.array(Turn).min(1),
    dedupe: z.boolean().optional(),
    stripRecalled: z.boolean().optional(),
  })
  .openapi("AddRequest");
const flag = z.enum(["true", "false"]).optional();
export const IngestQuery = z.strictObject({ dedupe: flag, stripRecalled: flag });
const Stored = z.object({ id: z.string(), status: z.enum(["added", "duplicate"]) });
const RecalledOnly = z.object({ status: z.literal("recalled") });
export const AddResult = z.union([Stored, RecalledOnly]).openapi("AddResult", {
  description: "`recalled`: `stripRecalled` left nothing of the turn, so that it is not stored",
});
export const AddResponse = z.object({ results: z.array(AddResult) }).openapi("AddResponse");

export const FilterSchema = z
  .custom<Filter>((value) => typeof value === "object" && value !== null)
  .openapi("Filter", {
    type: "object",
    description:
      "which entries: role, session, speaker, ids, at, ingestedAt, metadata, and, or, not, as the library has them",
    example: { role: "user", metadata: { "order.total": { gt: 100 } } },
  });

export const Entry = z
  .object({
    id: z.string(),
    role: z.enum(ROLES),
    speaker: z.string().optional(),
    session: z.string(),
    at: z.iso.datetime(),
    ingestedAt: z.iso.datetime(),
    expiresAt: z.iso.datetime().optional(),
    version: z.int(),
    content: z.string(),
    replacedCharacters: z.int(),
    toolCallId: z.string().optional(),
    toolName: z.string().optional(),
    metadata,
    span: z.array(z.int()).length(2),
  })
  .openapi("Entry");

export const RecallRequest = z
  .strictObject({
    question: z.string(),
    budget: z.int().min(0).optional().openapi({ default: DEFAULT_BUDGET }),
    strategy: z.enum(STRATEGIES).optional(),
    radius: z.int().min(0).optional(),
    packer: z.enum(PACKERS).optional(),
    marked: z.boolean().optional(),
    keywords: z.array(z.string()).optional(),
    at: moment.optional(),
    asOf: moment.optional(),
    filter: FilterSchema.optional(),
    forgetting: z
      .strictObject({ halfLife: z.number().optional(), weight: z.number().optional() })
      .optional(),
    retrieveBy: z.enum(RETRIEVAL_RULES).optional(),
    retrieveK: z.int().min(1).optional(),
    explain: z.boolean().optional().openapi({
      default: false,
      description: "also each item's `reasons` and `highlights`, which take time to find",
    }),
  })
  .openapi("RecallRequest");

export const RecallResponse = z
  .object({
    text: z.string(),
    tokens: z.int(),
    budget: z.int(),
    items: z.array(
      Entry.extend({
        score: z.number(),
        reasons: z.record(z.string(), z.unknown()).optional(),
        highlights: z.array(z.array(z.int())).optional(),
        pieces: z.array(z.array(z.int())),
      }),
    ),
    skipped: z.array(z.string()),
    atoms: z.array(z.object({ atom: z.int(), score: z.number(), ids: z.array(z.string()) })),
    strategy: z.string(),
    packer: z.string(),
    timings: z.record(z.string(), z.unknown()),
  })
  .openapi("Recall");

export const ListQuery = z.strictObject({
  after: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(LARGEST_PAGE).optional().openapi({
    default: DEFAULT_PAGE,
  }),
  filter: z.string().optional().openapi({ description: "a Filter, as JSON" }),
});
export const Entries = z
  .object({
    entries: z.array(Entry),
    next: z
      .string()
      .optional()
      .openapi({ description: "`after` of the next page, if there is one" }),
  })
  .openapi("Entries");

export const DeleteRequest = z.strictObject({ filter: FilterSchema }).openapi("DeleteRequest");
export const Deleted = z.object({ deleted: z.int() }).openapi("Deleted");
export const Sessions = z
  .object({
    sessions: z.array(
      z.object({
        session: z.string(),
        entries: z.int(),
        tokens: z.int(),
        from: z.iso.datetime(),
        to: z.iso.datetime(),
      }),
    ),
    total: z.int(),
  })
  .openapi("Sessions");

export const MapRequest = z
  .strictObject({
    question: z.string().optional(),
    limit: z.int().min(1).max(MOST_MAP_CHUNKS).optional().openapi({ default: DEFAULT_MAP_CHUNKS }),
    ids: z.array(z.string()).optional(),
  })
  .openapi("MapRequest");
const share = z.number().min(0).max(1);
export const MapResponse = z
  .object({
    chunks: z.array(
      z.object({
        atom: z.int().optional(),
        x: z.number(),
        y: z.number(),
        ids: z.array(z.string()),
      }),
    ),
    question: z.tuple([z.number(), z.number()]).optional(),
    total: z.int(),
    shares: z.tuple([share, share]),
  })
  .openapi("Map");

export const About = z
  .object({
    version: z.string(),
    readOnly: z.boolean(),
    strategies: z.array(z.enum(STRATEGIES)),
    packers: z.array(z.enum(PACKERS)),
    budget: z.int(),
  })
  .openapi("About");

export const BankStats = z.record(z.string(), z.number()).openapi("BankStats");
export const ProblemSchema = z
  .object({ error: z.object({ code: z.string(), message: z.string() }) })
  .openapi("Problem");
