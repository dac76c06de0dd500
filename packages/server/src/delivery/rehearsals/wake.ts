import type { Message } from '../../platform/engine/messages.ts'

/** Name of the engine object for rehearsals, keyed by rehearsal id. */
export const rehearsalService = 'rehearsal'

/** Returns the message that runs a rehearsal. */
export const toRehearsal = (key: string): Message => ({ service: rehearsalService, key, handler: 'run', payload: {} })
