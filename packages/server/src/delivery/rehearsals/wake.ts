import type { Message } from '../../platform/engine/messages.ts'

/** The engine's object of this feature, keyed by rehearsal ID. */
export const rehearsalService = 'rehearsal'

/** The message that has a rehearsal run. */
export const toRehearsal = (key: string): Message => ({ service: rehearsalService, key, handler: 'run', payload: {} })
