// An agent that remembers over three runs, each a session of its own.
//
//   npm run example      compiles and runs it

import assert from "node:assert/strict";
import { Memory } from "dentate";
import { runAgent } from "./agent.js";
import { scriptedModel, type Tool } from "./model.js";

const HOTELS = [
  { name: "Fjord Palace", city: "Oslo", price: 210 },
  { name: "Harbour House", city: "Oslo", price: 95 },
];

const tools: Record<string, Tool> = {
  book_hotel(input) {
    const { city, limit } = input as { city: string; limit: number };
    const hotel = HOTELS.find((candidate) => candidate.city === city && candidate.price <= limit);
    return hotel === undefined ? "no room found" : `booked ${hotel.name}, ${hotel.price} euros`;
  },
};

const memory = await Memory.open({ inMemory: true });
try {
  const bank = memory.bank("traveller-7");
  const ask = async (session: string, question: string) => {
    const answer = await runAgent(bank, scriptedModel, tools, session, question);
    process.stdout.write(`[${session}] user: ${question}\n[${session}] agent: ${answer}\n`);
    return answer;
  };

  await ask("monday", "For hotels, I pay at most 120 euros a night. Remember that.");
  await ask("monday", "And I fly to Oslo on 12 March, seat 14C.");
  const booking = await ask("tuesday", "Please book a hotel in Oslo for my trip.");
  assert.match(booking, /Harbour House/, "the limit of Monday was not remembered");
  const where = await ask("friday", "Which hotel am I in, and what does it cost?");
  assert.match(where, /Harbour House, for 95 euros/, "the booking of Tuesday was not remembered");
} finally {
  await memory.close();
}
