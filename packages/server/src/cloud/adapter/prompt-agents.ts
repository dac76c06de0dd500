// biome-ignore-all lint/style/noRestrictedImports: the cloud's SDK sends by these agents, to addresses of the cloud or of the operator.
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'

/** So long a connection may take to be there. Milliseconds. */
export const connectWithinMs = 2_000

/**
 * Agents that keep connections, and throw away one that was there only after `connectWithinMs`. A timer alone would
 * not: where the process stood still meanwhile, what waits for the connection is written to it before any timer is
 * heeded, long after it was checked for the last time whether it may be sent.
 */
export function promptAgents(maxSockets: number): { httpAgent: HttpAgent; httpsAgent: HttpsAgent } {
  const settings = { maxSockets, keepAlive: true }
  return { httpAgent: new PromptHttpAgent(settings), httpsAgent: new PromptHttpsAgent(settings) }
}

class PromptHttpAgent extends HttpAgent {
  override createConnection(...given: Parameters<HttpAgent['createConnection']>) {
    return prompt(super.createConnection(...given), 'connect')
  }
}

class PromptHttpsAgent extends HttpsAgent {
  override createConnection(...given: Parameters<HttpsAgent['createConnection']>) {
    return prompt(super.createConnection(...given), 'secureConnect')
  }
}

/** To be called before anything is written to the socket, so that this hears first that the connection is there. */
function prompt<Connection>(connection: Connection, ready: 'connect' | 'secureConnect'): Connection {
  const socket = connection as Socket
  const begunAt = performance.now()
  socket.prependOnceListener(ready, () => {
    const tookMs = Math.round(performance.now() - begunAt)
    if (tookMs > connectWithinMs) socket.destroy(new Error(`the connection took ${tookMs} ms`))
  })
  return connection
}
