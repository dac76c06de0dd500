import { afterAll, beforeAll } from 'vitest'
import { type TestFunctionOptions, testFunction } from '../../../../testing/functions.ts'
import { startWorld, type TestOrganization, type World } from '../../../../testing/world.ts'

const longestPauseMinutes = 20_160
export const pauseAt = (...stages: string[]) =>
  stages.map((stage) => ({ stage, timeout_in_minutes: longestPauseMinutes, timeout_action: 'ROLLBACK' }))

export const canary = {
  type: 'canary',
  bake_time_in_minutes: 0,
  canary: { canary_percent: 10, canary_bake_time_in_minutes: 0 },
}
export const pausingCanary = { ...canary, pause_stages: pauseAt('PRE_PRODUCTION_TRAFFIC_SHIFT') }

/** Starts a test environment with helpers for functions. */
export function useFunctions() {
  let world: World
  beforeAll(async () => {
    world = await startWorld()
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  async function start(wish: TestFunctionOptions = {}, wishes: Parameters<World['organization']>[0] = {}) {
    const org = await world.organization(wishes)
    return { org, fn: await testFunction(org, wish) }
  }

  /** Creates a canary that has reached the pause before its first or second shift. */
  async function paused(shifts: 0 | 1 = 0) {
    const { org, fn } = await start({ strategy: pausingCanary })
    const { id } = await fn.deploy()
    const first = await org.untilPaused(id)
    if (shifts === 0) return { org, fn, id, hookId: first }
    await org.continue(id, first)
    return { org, fn, id, hookId: await org.untilPaused(id, [first]) }
  }

  return { start, paused }
}

/** Returns the routing configurations that the alias received, in order. */
export const movesOf = async (org: TestOrganization) =>
  (await org.calls('UpdateAlias', { accepted: true })).map(({ request }) => {
    const { FunctionVersion, RoutingConfig } = request as {
      FunctionVersion: string
      RoutingConfig: { AdditionalVersionWeights: Record<string, number> }
    }
    return [FunctionVersion, RoutingConfig.AdditionalVersionWeights]
  })

export const waitUntilEnded = (org: TestOrganization, id: string) =>
  org.untilStatus(id, 'SUCCESS', 'ERROR', 'CANCELLED', 'ROLLED_BACK')

/** Returns the code updates that the cloud accepted, without dry runs, which only determine the hash. */
export async function updatesIn(org: TestOrganization) {
  const taken = await org.calls('UpdateFunctionCode', { accepted: true })
  return taken.filter(({ request }) => !(request as { DryRun?: boolean }).DryRun)
}
