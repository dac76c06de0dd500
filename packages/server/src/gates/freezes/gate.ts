import type { Gate } from '../gate.ts'
import { freezeGate } from './machine.ts'
import { freezesOf, hasFreezes } from './store.ts'

export const freezes: Gate = {
  name: 'FREEZE',
  moments: ['REQUEST', 'START', 'CONTINUE', 'CONTINUE_AUTOMATICALLY', 'APPLY'],
  exists: hasFreezes,
  async load({ tx, organizationId, once }, _, now) {
    return { loaded: freezeGate(await once('freezes', () => freezesOf(tx, organizationId, now))) }
  },
}
