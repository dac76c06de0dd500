import type { Message } from '../../platform/engine/messages.ts'

/** The engine's object, keyed by the id of the watched repository: its looks come one after the other. */
export const watchedService = 'watched-repository'

/** The message that has one looked at. */
export const toWatched = (key: string): Message => ({ service: watchedService, key, handler: 'look' })

/** The same, keyed by the id of a pull request that changes watched files. */
export const watchedRequestService = 'watched-pull-request'

export const toWatchedRequest = (key: string): Message => ({ service: watchedRequestService, key, handler: 'plan' })
