import type { Attempt, Work } from '../../pipelines/runner/work.ts'
import { applyStep, destroyStep } from './apply.ts'
import { StepFailure } from './failure.ts'
import type { IacParts } from './parts.ts'
import { driftStep, planStep } from './plan.ts'
import type { IacStepType } from './setup.ts'

/** What a runner does for the steps of the iac tool. */
export const iacWorks = (parts: IacParts): Record<IacStepType, Work> => ({
  'iac:plan': failing((attempt) => planStep(parts, attempt)),
  'iac:apply': failing((attempt) => applyStep(parts, attempt)),
  'iac:destroy': failing((attempt) => destroyStep(parts, attempt)),
  'iac:drift': failing((attempt) => driftStep(parts, attempt)),
})

/** A failure that a person can do something about is an outcome; anything else flies. */
const failing =
  (work: Work): Work =>
  async (attempt: Attempt) => {
    try {
      return await work(attempt)
    } catch (error) {
      if (error instanceof StepFailure) return { status: 'ERROR', error: error.toError() }
      throw error
    }
  }
