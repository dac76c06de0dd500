import { failures, type UserFacingError } from '@sluice/contract'
import { acceptDeployment } from '../../../delivery/deployments/create/accept.ts'
import { findTarget } from '../../../delivery/deployments/create/target.ts'
import { cancelDeployment } from '../../../delivery/deployments/execution/cancel-deployment.ts'
import { decide } from '../../../delivery/deployments/execution/decide.ts'
import { isFinal } from '../../../delivery/deployments/execution/machine.ts'
import type { ContinueDecision } from '../../../delivery/deployments/execution/pauses.ts'
import { toDeployment } from '../../../delivery/deployments/execution/wake.ts'
import { findDeployment } from '../../../delivery/deployments/store/store.ts'
import type { DeploymentRow } from '../../../delivery/deployments/store/tables.ts'
import { typeOf } from '../../../delivery/deployments/types/deployment-types.ts'
import { recordingDenials } from '../../../gates/denials.ts'
import { endOfFreeze } from '../../../gates/evaluate.ts'
import { runAsAuthor } from '../../../identity/audit-events/author.ts'
import { scopeOfInstance } from '../../../modules/module-instances/places.ts'
import { findInstanceNamed } from '../../../modules/module-instances/store.ts'
import { runWithWorkerResults } from '../../../platform/aside/answered.ts'
import type { Db } from '../../../platform/db/open.ts'
import { ApiError } from '../../../platform/http/api-error.ts'
import { present } from '../../../platform/present.ts'
import { deployInputsOf } from '../../artifacts/deploy-inputs.ts'
import { findArtifact } from '../../artifacts/store.ts'
import { missingPermission } from '../../pipeline-runs/permissions.ts'
import type { StepWith } from '../../pipeline-versions/config/schema.ts'
import { continuedStep, stepsBefore } from '../../pipeline-versions/config/steps.ts'
import { saveProgress } from '../store.ts'
import { type Attempt, cancelled, failed, rendered, type StepWork, type WorkParts, type WorkResult } from './work.ts'

type Json = Record<string, unknown>

/** Deploys a module instance. The step ends with the result of the deployment. */
export const deploy: StepWork = async (parts, attempt) => {
  const deploymentId = deploymentOf(attempt.step)
  if (deploymentId !== undefined) return followUntil(parts, attempt, deploymentId)
  return attempt.step.cancelRequestedAt ? cancelled : begin(parts, attempt)
}

/** Continues a deployment that an earlier step left paused before production. The step ends with its result. */
export const deploySwap: StepWork = async (parts, attempt) => {
  const { step, context, config } = attempt
  const own = deploymentOf(step)
  if (own !== undefined) return swap(parts, attempt, own)
  if (step.cancelRequestedAt) return cancelled
  const before = continuedStep(context.config.steps, config)
  const deployStep = context.steps.find(({ stepId }) => stepId === before)
  const deploymentId = deployStep && deploymentOf(deployStep)
  if (deploymentId === undefined) {
    return failed({
      code: failures.deploymentMissing.code,
      message: `The step ${before ?? 'before'} left no deployment to swap.`,
      description: 'Let a deploy step with `until: paused` run before.',
    })
  }
  await saveProgress(parts.db, step, {
    progress: { deploymentId },
    inputData: { deployment_id: deploymentId },
    moduleInstanceId: deployStep?.moduleInstanceId ?? step.moduleInstanceId,
  })
  return swap(parts, attempt, deploymentId)
}

function deploymentOf({ progress }: Attempt['step']): string | undefined {
  return typeof progress.deploymentId === 'string' ? progress.deploymentId : undefined
}

/**
 * Creates the deployment and stores its id in one transaction, so that neither a crash nor two concurrent calls create
 * a second one. After a broken connection to the engine, a call may overlap with its repetition.
 */
async function begin({ db, clock }: WorkParts, attempt: Attempt): Promise<WorkResult> {
  const { step, run, context } = attempt
  const { given, shown } = rendered('deploy', attempt)
  const { organizationId } = context.pipeline
  const target = await releaseTarget(db, attempt, given)
  if ('error' in target) return failed(target.error)
  const { moduleInstanceId } = target
  const trigger = {
    author: runAsAuthor(run),
    triggeredBy: run.triggeredBy,
    triggeredById: run.actsFor,
    source: 'PIPELINE',
    pipelineRunId: run.id,
    stepExecutionId: step.id,
    ...present({ authors: run.trigger?.authors }),
  } as const
  const description = given.description ?? run.description ?? `The step ${step.stepName} of ${context.pipeline.name}`
  const request = { ...target, description }
  const accept = async (tx: Db) => {
    const held = await saveProgress(tx, step, { moduleInstanceId, inputData: shown })
    if (!held) return undefined
    const begun = deploymentOf(held)
    if (begun !== undefined) return begun
    const { id } = await acceptDeployment(tx, trigger, request, clock)
    await saveProgress(tx, step, { progress: { deploymentId: id }, statusDetail: { deploymentId: id } })
    return id
  }
  const deploymentId = await recordingDenials(db, trigger.author, () =>
    runWithWorkerResults(organizationId, () => db.transaction(accept)),
  )
  const messages = deploymentId === undefined ? [] : [toDeployment(deploymentId)]
  return { waitingFor: 'its deployment', messages }
}

/** Returns the instance that a step releases, with the inputs; or an error if the run may not release it. */
export async function releaseTarget(
  db: Db,
  attempt: Attempt,
  given: StepWith<'deploy' | 'rehearse'>,
): Promise<{ moduleInstanceId: string; inputs: Json } | { error: UserFacingError }> {
  const { context, config } = attempt
  const { organizationId, projectId } = context.pipeline
  const environment = given.environment ?? context.environment?.givenId
  const named = present({ id: given.module_instance_id, givenId: given.module_instance, environment })
  const moduleInstanceId = await findInstanceNamed(db, { organizationId, projectId }, named)
  const scope = moduleInstanceId && (await scopeOfInstance(db, organizationId, moduleInstanceId))
  if (!moduleInstanceId || !scope) return { error: targetMissing({ ...given, ...present({ environment }) }) }
  const act = { permission: 'deployments:write', scopes: [scope] } as const
  const error = await missingPermission(db, context, config, act)
  if (error) return { error }
  return { moduleInstanceId, inputs: { ...(await builtInputs(db, attempt, moduleInstanceId)), ...given.inputs } }
}

/**
 * Returns the deployment inputs from the nearest previous build of the instance, as far as the module has these inputs.
 */
async function builtInputs(db: Db, { step, context, config }: Attempt, moduleInstanceId: string): Promise<Json> {
  const { steps } = context.config
  const index = steps.findIndex(({ id }) => id === config.id)
  const builds = stepsBefore(steps, index).filter((id) => steps.some((one) => one.id === id && one.type === 'build'))
  const executions = builds.map((id) => context.steps.find(({ stepId }) => stepId === id))
  const build = executions.find((one) => one?.status === 'SUCCESS' && one.moduleInstanceId === moduleInstanceId)
  const artifactId = build?.outputData?.artifact_id
  const artifact = typeof artifactId === 'string' && (await findArtifact(db, step.organizationId, artifactId))
  if (!artifact) return {}
  const found = await findTarget(db, step.organizationId, moduleInstanceId)
  const { inputs = [] } = (found?.placed.version.config.deploy ?? {}) as { inputs?: { id: string }[] | null }
  const taken = new Set(inputs?.map(({ id }) => id))
  return Object.fromEntries(Object.entries(deployInputsOf(artifact)).filter(([name]) => taken.has(name)))
}

const targetMissing = ({ module_instance_id, module_instance, environment }: StepWith<'deploy' | 'rehearse'>) => ({
  code: failures.targetMissing.code,
  message: `There is no module instance ${module_instance_id ?? `${module_instance} in the environment ${environment}`}.`,
})

async function followUntil(parts: WorkParts, attempt: Attempt, deploymentId: string): Promise<WorkResult> {
  const { given } = rendered('deploy', attempt)
  return follow(parts, attempt, deploymentId, async (deployment) => {
    const pause = waitingPause(deployment)
    if (given.until !== 'paused' || !pause) return { waitingFor: 'its deployment' }
    return { outcome: { status: 'SUCCESS', output: { ...outputOf(deployment), hook_id: pause.hookId } } }
  })
}

/** Continues every pause of the deployment. */
function swap(parts: WorkParts, attempt: Attempt, deploymentId: string): Promise<WorkResult> {
  return follow(parts, attempt, deploymentId, async (deployment) => {
    if (!waitingPause(deployment)) return { waitingFor: 'the deployment to take over' }
    const author = runAsAuthor(attempt.run)
    const by = { author, action: 'deployments.continue', clock: parts.clock } as const
    try {
      await decide<ContinueDecision>(parts.db, by, deploymentId, (deployment) => {
        const wish = { hookId: undefined, by: author.actorName }
        const decision = typeOf(deployment).continueAfterPause(deployment, wish, parts.clock())
        return decision.verdict === 'accepted'
          ? { outcome: decision, deployment: decision.deployment }
          : { outcome: decision }
      })
    } catch (error) {
      if (!(error instanceof ApiError && error.key === 'frozen')) throw error
      return { waitingFor: endOfFreeze }
    }
    return { waitingFor: 'the deployment to take over', messages: [toDeployment(deploymentId)] }
  })
}

/**
 * Ends the step with the result of its deployment, and cancels the deployment if the step must end. While it is in
 * progress, `goOn` decides.
 */
async function follow(
  { db, clock }: WorkParts,
  { step, run }: Attempt,
  deploymentId: string,
  goOn: (deployment: DeploymentRow) => Promise<WorkResult>,
): Promise<WorkResult> {
  const deployment = await findDeployment(db, step.organizationId, deploymentId)
  if (!deployment) {
    return failed({ code: failures.deploymentMissing.code, message: `The deployment ${deploymentId} is gone.` })
  }
  if (isFinal(deployment.status)) return endOf(deployment, step.cancelRequestedAt !== null)
  if (!step.cancelRequestedAt) return goOn(deployment)
  await cancelDeployment(db, runAsAuthor(run), deploymentId, clock())
  return { waitingFor: 'its deployment to be rolled back', messages: [toDeployment(deploymentId)] }
}

function endOf(deployment: DeploymentRow, isCancelled: boolean): WorkResult {
  const { id, status, error } = deployment
  if (status === 'SUCCESS') return { outcome: { status: 'SUCCESS', output: outputOf(deployment) } }
  if (isCancelled) return cancelled
  return failed({
    ...(error ?? { code: failures.deploymentFailed.code, message: `The deployment ${id} is ${status}.` }),
    metadata: { ...error?.metadata, deploymentId: id, deploymentStatus: status },
  })
}

const waitingPause = (deployment: DeploymentRow) => deployment.progress.hooks.find(({ state }) => state === 'waiting')

const outputOf = ({ id, status, moduleInstanceId }: DeploymentRow) => ({
  deployment_id: id,
  status,
  module_instance_id: moduleInstanceId,
})
