import { Document } from "@langchain/core/documents";
import type { Entry, RecallItem } from "../../types.js";

/**
 * An entry as a document. What was added as a document has the metadata that it was added with; other
 * turns, such as those of a chat, say who said them and when.
 */
export function toDocument(entry: Entry | RecallItem): Document {
  const { id, content, metadata, role, speaker, session, at } = entry;
  const { document, documentId } = metadata;
  const said = { ...metadata, role, session, at: at.toISOString(), ...(speaker && { speaker }) };
  return new Document({
    pageContent: content,
    metadata: (document as Record<string, unknown> | undefined) ?? said,
    id: typeof documentId === "string" ? documentId : id,
  });
}
