// For `node --import`: a machine on which @opentelemetry/api is not installed.

import { register } from "node:module";

const hooks = `export async function resolve(name, context, next) {
  if (name !== "@opentelemetry/api") return next(name, context);
  throw Object.assign(new Error("Cannot find package '" + name + "'"), { code: "ERR_MODULE_NOT_FOUND" });
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
