import type { Gate } from '../gate.ts'
import { holdGate } from './machine.ts'
import { hasHolds, openHoldsIn } from './store.ts'

export const holds: Gate = {
  name: 'HOLD',
  moments: ['START'],
  exists: hasHolds,
  async load({ tx, organizationId, once }, { scope: { projectId } }) {
    const read = async () => (projectId ? openHoldsIn(tx, organizationId, projectId) : [])
    return { loaded: holdGate(await once(`holds ${projectId}`, read)) }
  },
}
