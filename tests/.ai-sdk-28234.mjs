
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as Stdio } from '@ai-sdk/mcp/mcp-stdio';
const [python, server, tool, input] = process.argv.slice(2);
const transport = new Stdio({ command: python, args: ['-m', `servers.${server}`], env: process.env });
const client = await createMCPClient({ transport });
const tools = await client.tools();
const result = await tools[tool].execute(JSON.parse(input), { messages: [], toolCallId: '1' });
console.log(JSON.stringify({ tools: Object.keys(tools), result }));
await client.close();
