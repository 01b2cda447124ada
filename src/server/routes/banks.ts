import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Memory } from "../../memory.js";
import { expectBank } from "../authenticate.js";
import type { BankQuota } from "../bank-quota.js";
import type { ServiceEnv } from "../caller.js";
import { Bank, BankStats } from "../schemas.js";
import { json, REFUSALS } from "./answers.js";

const params = z.object({ bank: Bank });

const list = createRoute({
  method: "get",
  path: "/v1/banks",
  summary: "The banks that the key may use",
  responses: { 200: json(z.object({ banks: z.array(z.string()) }), "their names"), ...REFUSALS },
});
const stats = createRoute({
  method: "get",
  path: "/v1/banks/{bank}",
  summary: "What a bank holds, in numbers",
  request: { params },
  responses: { 200: json(BankStats, "the numbers"), ...REFUSALS },
});
const drop = createRoute({
  method: "delete",
  path: "/v1/banks/{bank}",
  summary: "Forget a bank and everything in it",
  request: { params },
  responses: {
    200: json(z.object({ dropped: z.boolean() }), "false: it held nothing"),
    ...REFUSALS,
  },
});

/** The routes of banks as wholes. */
export function addBankRoutes(
  app: OpenAPIHono<ServiceEnv>,
  memory: Memory,
  quota: BankQuota,
): void {
  app.openapi(list, async (context) => {
    const caller = context.get("caller");
    const banks = (await memory.banks()).filter((bank) => caller.mayUse(bank));
    return context.json({ banks }, 200);
  });

  app.openapi(stats, async (context) => {
    const { bank } = context.req.valid("param");
    expectBank(context.get("caller"), bank);
    return context.json({ ...(await memory.bank(bank).stats()) }, 200);
  });

  app.openapi(drop, async (context) => {
    const { bank } = context.req.valid("param");
    expectBank(context.get("caller"), bank);
    const dropped = await memory.dropBank(bank);
    quota.forget(bank);
    return context.json({ dropped }, 200);
  });
}
