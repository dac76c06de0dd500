import type { DeploymentForecast, PauseForecast } from '@sluice/contract'
import { present } from '../../../platform/present.ts'
import { runningOf, soonestGoodEnd } from '../analysis/machine.ts'
import type { Hook } from '../execution/progress.ts'
import type { Standing } from '../execution/state.ts'
import { kindOf } from '../types/deployment-types.ts'

/** Returns what happens next at the pauses that wait for a decision. */
export function forecastOf(standing: Standing): DeploymentForecast {
  const { status, progress } = standing
  const waiting = status === 'IN_PROGRESS' ? progress.hooks.filter(({ state }) => state === 'waiting') : []
  return { pauses: waiting.map((hook) => pauseForecast(standing, hook)) }
}

function pauseForecast(standing: Standing, hook: Hook): PauseForecast {
  const { hookId, expiresAt, timeoutAction } = hook
  return present({
    hookId,
    ...kindOf(standing).afterPause?.(standing, hook),
    expiresAt,
    timeoutAction: timeoutAction === 'CONTINUE' ? ('CONTINUE' as const) : ('ROLLBACK' as const),
    checksContinueAt: checksContinueAt(standing, hookId)?.toISOString(),
  })
}

/** Returns the earliest time at which the checks of a pause can continue it; undefined if no checks decide. */
function checksContinueAt({ data, release: { analysis: spec } }: Standing, hookId: string): Date | undefined {
  const analysis = runningOf(data.analysis ?? [])
  return spec && analysis?.hookId === hookId ? soonestGoodEnd(analysis, spec) : undefined
}
