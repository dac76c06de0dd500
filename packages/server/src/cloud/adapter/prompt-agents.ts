// biome-ignore-all lint/style/noRestrictedImports: the cloud's SDK sends by these agents, to addresses of the cloud or of the operator.
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'

/** Maximum time for opening a connection, in milliseconds. */
export const connectWithinMs = 2_000

/**
 * Creates HTTP agents that discard a connection that took longer than `connectWithinMs` to open. A timer is not enough:
 * after a suspension, Node writes waiting requests before it runs timers, long after their last check.
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

/**
 * Destroys a connection that opened too late. Must run before anything writes to the socket, so that this listener is
 * the first.
 */
function prompt<Connection>(connection: Connection, ready: 'connect' | 'secureConnect'): Connection {
  const socket = connection as Socket
  const begunAt = performance.now()
  socket.prependOnceListener(ready, () => {
    const tookMs = Math.round(performance.now() - begunAt)
    if (tookMs > connectWithinMs) socket.destroy(new Error(`the connection took ${tookMs} ms`))
  })
  return connection
}
