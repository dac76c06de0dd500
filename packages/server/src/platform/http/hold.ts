import type { App } from './app.ts'

/** Requests that came too early. */
export type Held = {
  /** Lets them in, and all that come later. */
  letIn(): void
  /** Turns them away: the service ends before it began. */
  turnAway(): void
}

/** Holds requests back: the port is ours, and what they would find is not there yet. */
export function holdRequests(app: App): Held {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  promise.catch(() => {}) // each request that waits is told
  let isOpen = false
  app.addHook('onRequest', (_request, _reply, done) => {
    if (isOpen) return done()
    promise.then(() => done(), done)
  })
  return {
    letIn() {
      isOpen = true
      resolve()
    },
    turnAway: () => reject(new Error('the service ends')),
  }
}
