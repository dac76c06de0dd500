import { apiErrors, failures, type UserFacingError } from '@sluice/contract'
import type { Outcome } from '@sluice/contract/runner-protocol'
import { ExpressionError } from '@sluice/expressions'
import type { SendOutbound } from '@sluice/outbound/send'
import { Compile } from 'typebox/compile'
import type { Message } from '../../../platform/engine/messages.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { faultsOf } from '../../../platform/http/faults.ts'
import { listed } from '../../../platform/http/listed.ts'
import { present } from '../../../platform/present.ts'
import type { PassParts } from '../../pipeline-runs/advance.ts'
import { type RunContext, renderStep } from '../../pipeline-runs/context.ts'
import { templateInvalid } from '../../pipeline-runs/evaluate-step.ts'
import { maskSecrets, shownInput } from '../../pipeline-runs/secrets.ts'
import type { StepConfig, StepWith } from '../../pipeline-versions/config/schema.ts'
import { workStepConfigs } from '../../pipeline-versions/config/work-steps.ts'
import type { PipelineRunRow, PipelineStepExecutionRow } from '../../pipelines/tables.ts'

type Json = Record<string, unknown>

export type WorkParts = PassParts & {
  sendOutbound: SendOutbound
  /** Maximum number of unfinished rehearsals of an organization; unlimited if absent. */
  maxRehearsals?: number | undefined
  /** Notifies runners that wait in this process. */
  onReady: () => void
}

/** Current attempt of a step that a worker executes. */
export type Attempt = {
  step: PipelineStepExecutionRow
  run: PipelineRunRow
  config: StepConfig
  context: RunContext
}

/** Result of a call: the end of the attempt, or what it waits for. */
export type WorkResult = ({ outcome: Outcome } | { waitingFor: string; statusDetail?: Json }) & { messages?: Message[] }

/** Work of a step that starts in one call and continues in later ones. Each call does what is possible at that time. */
export type StepWork = (parts: WorkParts, attempt: Attempt) => Promise<WorkResult>

export const failed = (error: UserFacingError): WorkResult => ({ outcome: { status: 'ERROR', error } })
export const cancelled: WorkResult = { outcome: { status: 'CANCELLED' } }

type WorkerStep = keyof typeof checks

const checks = {
  deploy: Compile(workStepConfigs.deploy),
  'deploy-swap': Compile(workStepConfigs['deploy-swap']),
  http: Compile(workStepConfigs.http),
  pipeline: Compile(workStepConfigs.pipeline),
  rehearse: Compile(workStepConfigs.rehearse),
} as const

/** Thrown if the rendered input of a step is invalid for its type. */
class InvalidStepInput extends Error {
  readonly faults: string[]
  constructor(faults: string[]) {
    super('The values of the templates are not valid for the step.')
    this.faults = faults
  }
}

/** Returns the validated `with` section of a step, and the same for display. */
export function rendered<T extends WorkerStep>(
  type: T,
  { context, config }: Attempt,
): { given: StepWith<T>; shown: Json; secrets: string[] } {
  const { value, secrets } = renderStep(context, config)
  const shown = shownInput(value, secrets)
  // Removes members whose template rendered to null, because they are the same as absent ones.
  const given = present(Object.fromEntries(Object.entries(value).map(([key, one]) => [key, one ?? undefined])))
  const faults = faultsOf(checks[type], given)
  if (faults.length > 0) {
    const placed = faults.map((fault) => fault.replace('$', () => `steps.${config.id}.with`))
    throw new InvalidStepInput(maskSecrets(placed, secrets))
  }
  return { given: given as StepWith<T>, shown, secrets }
}

/** Converts errors that a user can fix to the end of the attempt; rethrows others. */
export async function withUserErrors(work: () => Promise<WorkResult>): Promise<WorkResult> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof InvalidStepInput) return failed(notTaken(error))
    if (error instanceof ExpressionError) return failed(templateInvalid(error))
    if (error instanceof ApiError)
      return failed({ code: apiErrors[error.key].code, message: error.message, ...error.extras })
    throw error
  }
}

const notTaken = ({ message, faults }: InvalidStepInput): UserFacingError => ({
  code: failures.templateInvalid.code,
  message,
  description: 'Mend the templates in the configuration of the pipeline, or give the run other inputs.',
  details: listed('With', faults),
})
