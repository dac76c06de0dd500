import { endOfFreeze, inWords, type Stop, wayOut } from '../../../gates/freezes/machine.ts'
import { present } from '../../../platform/present.ts'
import type { Step } from '../attempt.ts'

/** What a freeze that stops applies stops. Plans change nothing. */
export const infrastructureTypes = ['iac:apply', 'iac:destroy']
export const changesInfrastructure = (type: string): boolean => infrastructureTypes.includes(type)

/** The freeze that stops a step, or that none does. */
export type Clearance = Stop | 'nothing'

/** It waits for the end of a freeze, and says so; the same step where it says that already. */
export function frozen(step: Step, stop: Stop): Step {
  const { freezeId, name, reason } = stop
  const until = stop.until.toISOString()
  const message = `It waits for the end of ${inWords(stop)}`
  const isSaid = step.queueReason === 'FROZEN' && step.queueMetadata.freezeId === freezeId
  if (isSaid && saidOf(step).message === message) return step
  const freeze = present({ freezeId, name, reason, until, message, description: wayOut(stop) })
  return {
    ...step,
    queueReason: 'FROZEN',
    queueMetadata: { freezeId, name, until },
    statusDetail: { ...step.statusDetail, freeze },
    wakeAt: null,
    deadlineAt: stop.until,
    waitingFor: endOfFreeze,
  }
}

const saidOf = ({ statusDetail }: Step) => (statusDetail?.freeze ?? {}) as { message?: unknown }

/** No freeze stops it any more; the same step where none did. */
export function unfrozen(step: Step): Step {
  if (step.statusDetail?.freeze === undefined) return step
  const { freeze: _, ...rest } = step.statusDetail
  return { ...step, deadlineAt: null, statusDetail: Object.keys(rest).length > 0 ? rest : null }
}
