import type { MetadataFilter, MetadataFilters } from "@llamaindex/core/vector-store";
import type { FieldCondition, Filter, FilterValue } from "../../filter.js";

const OPERATORS: Readonly<Record<string, keyof FieldCondition>> = {
  "==": "eq",
  "!=": "ne",
  ">": "gt",
  ">=": "gte",
  "<": "lt",
  "<=": "lte",
  in: "in",
  nin: "nin",
};

/**
 * LlamaIndex's filters over the metadata of nodes.
 *
 * @throws TypeError for an operator that the memory has not: `text_match`.
 */
export function toFilter({ filters, condition = "and" }: MetadataFilters): Filter {
  const parts = filters.map(toCondition);
  return condition === "or" ? { or: parts } : { and: parts };
}

function toCondition({ key, operator, value }: MetadataFilter): Filter {
  const path = `fields.${key}`;
  const of = (fits: FieldCondition): Filter => ({ metadata: { [path]: fits } });
  const name = OPERATORS[operator];
  if (name !== undefined) return of({ [name]: value });
  // Where a field is a list, one item that fits is enough.
  if (operator === "contains") return of({ eq: value as FilterValue });
  if (operator === "any") return of({ in: value as string[] });
  if (operator === "all") return { and: (value as string[]).map((item) => of({ eq: item })) };
  if (operator === "is_empty") return { or: [of({ eq: "" }), of({ eq: null })] };
  throw new TypeError(`filters: no operator "${operator}" here`);
}
