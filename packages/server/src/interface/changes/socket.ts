import { changeSocketCodes as codes } from '@sluice/contract'
import type { WebSocket } from 'ws'
import type { News } from './follower.ts'
import { messageOf, type Wanted, wantedIn } from './subscription.ts'

/** How patient we are with a client. Milliseconds. */
const usualPatience = {
  /** How long it may take to read a message. */
  slowMs: 30_000,
  /** After so long without a sign of it, it is taken for dead. */
  deadMs: 60_000,
  /** How long it may take to agree to the end. */
  endingMs: 2_000,
}
/** Messages of a client between two of ours, which come every few seconds. */
const mostAsked = 20

interface Told {
  /** What there is to tell, every few seconds at least; it ends when whoever follows may no longer. */
  news: AsyncIterable<News>
  /** Aborted when the server stops. */
  stopping: AbortSignal
  patience?: typeof usualPatience
}

/** Tells changes over a WebSocket, one message after the other: what a slow client has not read is not added to. */
export async function tellOver(socket: WebSocket, { news, stopping, patience = usualPatience }: Told): Promise<void> {
  const end = ending(socket, patience.endingMs)
  let wanted: Wanted = {}
  let asked = 0
  let heardAt = performance.now()
  socket.on('error', () => {}) // the end follows
  socket.on('pong', () => {
    heardAt = performance.now()
  })
  socket.on('message', (data, isBinary) => {
    heardAt = performance.now()
    asked++
    if (asked > mostAsked) return end(codes.askedTooMuch)
    const read = isBinary ? undefined : wantedIn(String(data))
    if (!read) return end(codes.notUnderstood)
    wanted = read
  })
  for await (const one of news) {
    asked = 0
    if (performance.now() - heardAt > patience.deadMs) return socket.terminate()
    socket.ping()
    const text = JSON.stringify(messageOf(one, wanted))
    if (!(await isSent(socket, text, patience.slowMs))) return end(codes.tooSlow)
  }
  end(stopping.aborted ? codes.stopping : codes.credentialOver)
}

/** False where the client does not take it in time. */
async function isSent(socket: WebSocket, text: string, withinMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), withinMs)
  // Called with an error where the connection is lost: then there is nobody to wait for.
  socket.send(text, () => resolve(true))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
  }
}

/** Says why it ends, and waits for no client for long. */
const ending =
  (socket: WebSocket, withinMs: number) =>
  ({ code, reason }: { code: number; reason: string }): void => {
    if (socket.readyState !== socket.OPEN) return
    const timer = setTimeout(() => socket.terminate(), withinMs)
    socket.once('close', () => clearTimeout(timer))
    socket.close(code, reason)
  }
