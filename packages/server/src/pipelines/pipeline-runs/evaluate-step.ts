import { failures, type UserFacingError } from '@sluice/contract'
import { ExpressionError } from '@sluice/expressions'
import type { Db } from '../../platform/db/open.ts'
import { findStackNamed } from '../../stacks/stacks/store.ts'
import type { StepConfig } from '../pipeline-versions/config/schema.ts'
import { continuedStep } from '../pipeline-versions/config/steps.ts'
import { type RunContext, renderApprovalMessage, rendersTrue, renderValue } from './context.ts'
import type { Scheduled, Verdict } from './machine.ts'

/** Renders what the scheduler needs to decide about a step: its condition, its approval message, and its stack. */
export async function renderStepInput(
  db: Db,
  context: RunContext,
  { config, succeeded }: Scheduled['toJudge'][number],
): Promise<Verdict> {
  try {
    if (!rendersTrue(context, config, { succeeded })) return { do: 'skip' }
    const message = renderApprovalMessage(context, config)
    const stack = config.type.startsWith('iac:') ? await stackOf(db, context, config) : undefined
    if (typeof stack === 'object') return { do: 'fail', error: stack }
    return { do: 'go', message, stackId: stack }
  } catch (error) {
    if (error instanceof ExpressionError) return { do: 'fail', error: templateInvalid(error) }
    throw error
  }
}

/** Returns the stack of an IaC step: the one that it names, or that of the plan that it applies. */
async function stackOf(db: Db, context: RunContext, config: StepConfig): Promise<string | UserFacingError> {
  if (config.type === 'iac:apply') {
    const planStep = continuedStep(context.config.steps, config)
    const stackId = context.steps.find((step) => step.stepId === planStep)?.stackId
    return stackId ?? stackNotFound(`There is no plan for the step ${config.id} to apply.`)
  }
  const { stack_id, stack } = config.with ?? {}
  const { value } = renderValue(context, { stack_id, stack }, `steps.${config.id}.with`)
  const named = value as { stack_id?: unknown; stack?: unknown }
  const { organizationId, projectId } = context.pipeline
  const place = { organizationId, projectId }
  const found = await findStackNamed(db, place, { id: textOf(named.stack_id), givenId: textOf(named.stack) })
  return found ?? stackNotFound(`There is no stack ${named.stack_id ?? named.stack} in the project.`)
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const stackNotFound = (message: string): UserFacingError => ({
  code: failures.stackMissing.code,
  message,
  description: 'Create the stack, or name another one in the configuration of the pipeline.',
})

/** Returns the error for an invalid template in the config. */
export const templateInvalid = (error: ExpressionError): UserFacingError => ({
  code: failures.templateInvalid.code,
  message: 'A template of the step has no value.',
  description: 'Mend the template in the configuration of the pipeline, or give the run other inputs.',
  details: [
    {
      title: 'Templates',
      render: 'list',
      items: error.faults.map(({ path, message }) => `${path}: ${message}`),
    },
  ],
})
