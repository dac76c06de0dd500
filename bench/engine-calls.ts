import { subscribe } from 'node:diagnostics_channel'

/** Counts the engine's calls to handlers of this process from now on: one per message and timer. */
export function countEngineCalls(): { readonly count: number } {
  let count = 0
  subscribe('http2.server.stream.start', (message) => {
    const { headers } = message as { headers: Record<string, string | undefined> }
    if (headers[':path']?.startsWith('/invoke/')) count += 1
  })
  return {
    get count() {
      return count
    },
  }
}
