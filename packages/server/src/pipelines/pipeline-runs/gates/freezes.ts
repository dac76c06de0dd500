import type { GateDecision } from '../../../gates/evaluate.ts'
import { present } from '../../../platform/present.ts'
import type { Step } from '../attempt.ts'

/** Step types that a freeze can block. Plans change nothing and so are excluded. */
export const infrastructureTypes = ['iac:apply', 'iac:destroy']
export const changesInfrastructure = (type: string): boolean => infrastructureTypes.includes(type)

/** Whether a step may change infrastructure now, or what it waits for. */
export type Clearance = Extract<GateDecision, { decision: 'wait' | 'proceed' }>
type Wait = Extract<GateDecision, { decision: 'wait' }>

/** Lets a step wait for the end of a freeze, with a reason. Returns the same step if it has this reason already. */
export function freezeStep(step: Step, { message, description, metadata = {}, until, waitingFor }: Wait): Step {
  const { freezeId, name } = metadata
  const isSaid = step.queueReason === 'FROZEN' && step.queueMetadata.freezeId === freezeId
  if (isSaid && saidOf(step).message === message) return step
  return {
    ...step,
    queueReason: 'FROZEN',
    queueMetadata: { freezeId, name, until: metadata.until },
    statusDetail: { ...step.statusDetail, freeze: present({ ...metadata, message, description }) },
    wakeAt: null,
    deadlineAt: until ?? null,
    waitingFor,
  }
}

const saidOf = ({ statusDetail }: Step) => (statusDetail?.freeze ?? {}) as { message?: unknown }

/** Clears the freeze of a step; returns the same step if there was none. */
export function unfreezeStep(step: Step): Step {
  if (step.statusDetail?.freeze === undefined) return step
  const { freeze: _, ...rest } = step.statusDetail
  return { ...step, deadlineAt: null, statusDetail: Object.keys(rest).length > 0 ? rest : null }
}
