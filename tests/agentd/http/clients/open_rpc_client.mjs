// @open-rpc/client-js, unchanged: calls one method over HTTP or WebSocket and prints what came back as JSON.
// node open_rpc_client.mjs URL METHOD PARAMS
import { Client, HTTPTransport, RequestManager, WebSocketTransport } from "@open-rpc/client-js";

const [url, method, params] = process.argv.slice(2);
const transport = url.startsWith("ws") ? new WebSocketTransport(url) : new HTTPTransport(url);
const client = new Client(new RequestManager([transport]));
try {
  const result = await client.request({ method, params: JSON.parse(params) });
  console.log(JSON.stringify({ result }));
} catch (error) {
  console.log(JSON.stringify({ code: error.code, message: error.message, data: error.data }));
}
client.close();
process.exit(0);
