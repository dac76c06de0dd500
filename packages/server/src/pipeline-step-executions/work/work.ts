import { refusals, type UserFacingError } from '@sluice/contract'
import { ExpressionError } from '@sluice/expressions'
import { type RunContext, renderStep } from '../../pipeline-runs/context.ts'
import { templateInvalid } from '../../pipeline-runs/judge.ts'
import type { LookParts } from '../../pipeline-runs/look.ts'
import { maskSecrets } from '../../pipeline-runs/secrets.ts'
import type { StepConfig } from '../../pipeline-versions/config/schema.ts'
import type { PipelineRunRow, PipelineStepExecutionRow } from '../../pipelines/tables.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { SendOutbound } from '../../platform/outbound/send.ts'
import type { Outcome } from '../../runner/work.ts'

type Json = Record<string, unknown>

export type WorkParts = LookParts & { sendOutbound: SendOutbound }

/** The present attempt of a step that a worker carries out. */
export type Attempt = {
  step: PipelineStepExecutionRow
  run: PipelineRunRow
  config: StepConfig
  context: RunContext
}

/** What a look at an attempt came to: its end, or what it waits for. */
export type Looked = ({ outcome: Outcome } | { waitingFor: string; statusDetail?: Json }) & { messages?: Message[] }

/** Work that is begun in one look and followed in others: each does what can be done now. */
export type StepWork = (parts: WorkParts, attempt: Attempt) => Promise<Looked>

export const failed = (error: UserFacingError): Looked => ({ outcome: { status: 'ERROR', error } })
export const cancelled: Looked = { outcome: { status: 'CANCELLED' } }

/** What stands in the `with` of the step, and the same as it may be shown. */
export function rendered<With>({ context, config }: Attempt): { given: With; shown: Json; secrets: string[] } {
  const { value, secrets } = renderStep(context, config)
  return { given: value as With, shown: maskSecrets(value, secrets), secrets }
}

/** Turns what a person can mend into the end of the attempt; the rest is thrown on. */
export async function orFailed(work: () => Promise<Looked>): Promise<Looked> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ExpressionError) return failed(templateInvalid(error))
    if (error instanceof Refusal)
      return failed({ code: refusals[error.key].code, message: error.message, ...error.extras })
    throw error
  }
}
