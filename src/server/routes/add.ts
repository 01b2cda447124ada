import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Memory } from "../../memory.js";
import type { Turn as TurnType } from "../../types.js";
import { expectBank } from "../authenticate.js";
import type { BankQuota } from "../bank-quota.js";
import type { ServiceEnv } from "../caller.js";
import { AddRequest, AddResponse, Bank } from "../schemas.js";
import { body, json, REFUSALS } from "./answers.js";

const add = createRoute({
  method: "post",
  path: "/v1/banks/{bank}/turns",
  summary: "Add turns: all of them or none; once answered, they are on disk",
  request: { params: z.object({ bank: Bank }), body: body(AddRequest) },
  responses: { 200: json(AddResponse, "what became of each turn"), ...REFUSALS },
});

export function addAddRoute(app: OpenAPIHono<ServiceEnv>, memory: Memory, quota: BankQuota): void {
  app.openapi(add, async (context) => {
    const { bank } = context.req.valid("param");
    const caller = context.get("caller");
    expectBank(caller, bank);
    const { turns, ...options } = context.req.valid("json");
    const to = memory.bank(bank);
    // A single turn shares its trip to the disk with those of other requests.
    const results = await quota.within(caller, bank, async () =>
      turns.length === 1
        ? [await to.add(turns[0] as TurnType, options)]
        : to.addMany(turns as TurnType[], options),
    );
    return context.json({ results }, 200);
  });
}
