import { type LimitName, limitNames, routes } from '@sluice/contract'
import type { Caller } from '../../platform/auth/caller.ts'
import type { Db } from '../../platform/db/open.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { usedBytes } from '../../platform/limits/stored.ts'
import { limitTable } from '../../platform/limits/table.ts'

/** Counts an organization's usage of a limited resource, up to `limit`. */
export type CountUsed = (db: Db, organizationId: string, limit: number) => Promise<number>

export type LimitParts = {
  countUsed: Record<
    'queuedRuns' | 'queuedSteps' | 'queuedDeployments' | 'rehearsals' | 'runningSteps' | 'driftChecks',
    CountUsed
  >
}

/** Registers the route that returns an organization's limits and usage. */
export function serveLimits(app: App, { countUsed }: LimitParts): void {
  handle(app, routes.getLimits, async ({ caller, db }) => {
    const limits = limitNames.map(async (name) => {
      const row = limitTable[name]
      const { per, unit } = row
      const isPerProcess = 'isPerProcess' in row
      const used = await usedOf(name, caller, db)
      return {
        name,
        per,
        unit,
        isPerProcess,
        max: app.limits.mosts[name] ?? null,
        ...(used !== undefined && { used }),
      }
    })
    return { data: { limits: await Promise.all(limits) } }
  })

  async function usedOf(name: LimitName, caller: Caller, db: Db): Promise<number | undefined> {
    switch (name) {
      case 'queuedRuns':
      case 'queuedSteps':
      case 'queuedDeployments':
      case 'rehearsals':
      case 'runningSteps':
      case 'driftChecks':
        return countUsed[name](db, caller.organizationId, app.limits.mosts[name] ?? countedWithout)
      case 'stepLogBytes':
      case 'stateBytes':
      case 'planBytes':
        return undefined // applies per step, state and plan
      case 'storedLogBytes':
      case 'storedStateBytes':
      case 'storedPlanBytes':
      case 'storedArtifactBytes':
        return usedBytes(db, caller.organizationId, name)
      default:
        return app.limits.used(name, caller)
    }
  }
}

/** Maximum to count up to if there is no limit. */
const countedWithout = 10_000
