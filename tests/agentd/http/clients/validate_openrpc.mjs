// @open-rpc/schema-utils-js, unchanged: reads an OpenRPC document on standard input, validates and dereferences it.
// Prints {valid, methods} or {valid: false, error}.
import { readFileSync } from "node:fs";
import utils from "@open-rpc/schema-utils-js";

const text = readFileSync(0, "utf8");
const verdict = utils.validateOpenRPCDocument(JSON.parse(text));
if (verdict !== true) {
  console.log(JSON.stringify({ valid: false, error: String(verdict) }));
} else {
  const document = await utils.parseOpenRPCDocument(text);
  console.log(JSON.stringify({ valid: true, methods: document.methods.map((method) => method.name) }));
}
