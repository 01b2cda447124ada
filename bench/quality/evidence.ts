import { TURNS_BY_SESSION } from "./bm25-reference.js";
import type { Dataset, EvidenceQuestion } from "./dataset.js";
import { scoreEvidence } from "./metrics.js";

/** How a data set is measured whose questions are labelled by turns. */
export const BY_EVIDENCE: Pick<
  Dataset<EvidenceQuestion>,
  "reference" | "rankingBudget" | "headlines" | "score"
> = {
  reference: TURNS_BY_SESSION,
  // Room for some 80 long turns: the deepest cut is at 25.
  rankingBudget: 16_000,
  headlines: ["evidence-complete", "R@10"],
  score: scoreEvidence,
};
