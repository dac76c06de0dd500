import type { App } from './app.ts'

/** Controls requests that arrive before the service is ready. */
export type Held = {
  /** Continues all held requests and admits later ones. */
  letIn(): void
  /** Rejects all held requests, because the service stops before it was ready. */
  turnAway(): void
}

/** Holds all requests while the server already listens but the service is not ready. */
export function holdRequests(app: App): Held {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  promise.catch(() => {}) // each held request handles the rejection itself
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
