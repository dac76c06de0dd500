import { changeSocketCodes as codes } from '@sluice/contract'
import type { WebSocket } from 'ws'
import type { ChangeBatch } from './follower.ts'
import { messageOf, parseSubscription, type SubscribedChanges } from './subscription.ts'

/** Default timeouts for clients, in milliseconds. */
const defaultTimeouts = {
  /** Maximum time for a client to accept a message. */
  slowMs: 30_000,
  /** Time without any sign of life after which a client is disconnected. */
  deadMs: 60_000,
  /** Maximum time for a client to confirm the end. */
  endingMs: 2_000,
}
/** Maximum number of client messages between two of ours, which are sent every few seconds. */
const maxClientMessages = 20

interface ChangeSource {
  /** Changes, at least every few seconds. Ends when the follower loses access. */
  news: AsyncIterable<ChangeBatch>
  /** Aborts when the server stops. */
  stopping: AbortSignal
  patience?: typeof defaultTimeouts
}

/** Sends changes over a WebSocket, one message at a time, so that at most one message is buffered for a slow client. */
export async function sendChangesOver(
  socket: WebSocket,
  { news, stopping, patience = defaultTimeouts }: ChangeSource,
): Promise<void> {
  const end = ending(socket, patience.endingMs)
  let wanted: SubscribedChanges = {}
  let asked = 0
  let heardAt = performance.now()
  socket.on('error', () => {}) // the connection closes afterwards
  socket.on('pong', () => {
    heardAt = performance.now()
  })
  socket.on('message', (data, isBinary) => {
    heardAt = performance.now()
    asked++
    if (asked > maxClientMessages) return end(codes.askedTooMuch)
    const read = isBinary ? undefined : parseSubscription(String(data))
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

/** Returns false if the client does not accept the message in time. */
async function isSent(socket: WebSocket, text: string, withinMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), withinMs)
  // Called with an error if the connection is lost, so that there is nothing to wait for.
  socket.send(text, () => resolve(true))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
  }
}

/** Closes the connection with a reason, and waits for the client only for a limited time. */
const ending =
  (socket: WebSocket, withinMs: number) =>
  ({ code, reason }: { code: number; reason: string }): void => {
    if (socket.readyState !== socket.OPEN) return
    const timer = setTimeout(() => socket.terminate(), withinMs)
    socket.once('close', () => clearTimeout(timer))
    socket.close(code, reason)
  }
