export type { OwnBank } from "../own-bank.js";
export { DentateChatMessageHistory, type DentateChatMessageHistoryInput } from "./chat-history.js";
export { DentateRetriever, type DentateRetrieverInput } from "./retriever.js";
export {
  type AddDocumentOptions,
  type DeleteParams,
  DentateVectorStore,
  type DentateVectorStoreConfig,
} from "./vector-store.js";
