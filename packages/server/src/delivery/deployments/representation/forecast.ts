import type { DeploymentForecast, PauseForecast } from '@sluice/contract'
import { present } from '../../../platform/present.ts'
import { runningOf, soonestGoodEnd } from '../analysis/machine.ts'
import type { Hook } from '../execution/progress.ts'
import type { Standing } from '../execution/state.ts'
import { kindOf } from '../types/deployment-types.ts'

/** What comes of the pauses that wait to be ended. */
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

/** When the checks of a pause let it go on at the soonest; undefined where none decide about it. */
function checksContinueAt({ data, release: { analysis: spec } }: Standing, hookId: string): Date | undefined {
  const analysis = runningOf(data.analysis ?? [])
  return spec && analysis?.hookId === hookId ? soonestGoodEnd(analysis, spec) : undefined
}
