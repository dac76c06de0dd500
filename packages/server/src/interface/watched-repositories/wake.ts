import type { Message } from '../../platform/engine/messages.ts'

/** Name of the engine object for watched repositories, keyed by id to serialize their passes. */
export const watchedService = 'watched-repository'

/** Returns the message that makes a pass over a watched repository. */
export const toWatched = (key: string): Message => ({ service: watchedService, key, handler: 'look' })

/** Name of the engine object for pull requests that change watched files, keyed by id. */
export const watchedRequestService = 'watched-pull-request'

export const toWatchedRequest = (key: string): Message => ({ service: watchedRequestService, key, handler: 'plan' })
