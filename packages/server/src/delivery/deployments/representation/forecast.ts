import type { DeploymentForecast, PauseForecast } from '@sluice/contract'
import { present } from '../../../platform/present.ts'
import { earliestSuccess, runningOf } from '../analysis/machine.ts'
import type { Hook } from '../execution/progress.ts'
import type { DeploymentState } from '../execution/state.ts'
import { typeOf } from '../types/deployment-types.ts'

/** Returns what happens next at the pauses that wait for a decision. */
export function forecastOf(deployment: DeploymentState): DeploymentForecast {
  const { status, progress } = deployment
  const waiting = status === 'IN_PROGRESS' ? progress.hooks.filter(({ state }) => state === 'waiting') : []
  return { pauses: waiting.map((hook) => pauseForecast(deployment, hook)) }
}

function pauseForecast(deployment: DeploymentState, hook: Hook): PauseForecast {
  const { hookId, expiresAt, timeoutAction } = hook
  return present({
    hookId,
    ...typeOf(deployment).afterPause?.(deployment, hook),
    expiresAt,
    timeoutAction: timeoutAction === 'CONTINUE' ? ('CONTINUE' as const) : ('ROLLBACK' as const),
    checksContinueAt: checksContinueAt(deployment, hookId)?.toISOString(),
  })
}

/** Returns the earliest time at which the checks of a pause can continue it; undefined if no checks decide. */
function checksContinueAt({ data, release: { analysis: spec } }: DeploymentState, hookId: string): Date | undefined {
  const analysis = runningOf(data.analysis ?? [])
  return spec && analysis?.hookId === hookId ? earliestSuccess(analysis, spec) : undefined
}
