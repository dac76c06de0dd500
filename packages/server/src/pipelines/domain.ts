import { parseOutboundRules } from '@sluice/outbound/addresses'
import { createOutbound } from '@sluice/outbound/send'
import manifest from '../../package.json' with { type: 'json' }
import { cloudOf, pollPaceOf, runnerTaskSettings } from '../cloud/domain.ts'
import {
  archiveSealOf,
  knownCommits as deploymentCommits,
  onDeploymentStopped,
  onRehearsalFinished,
} from '../delivery/domain.ts'
import { pastSubjects, pipelineLock, runReconciliation, stepReconciliation } from '../gates/domain.ts'
import { gitOf } from '../git/domain.ts'
import { usageCounts } from '../identity/domain.ts'
import { systemClock } from '../platform/clock.ts'
import { consoleLinks, ownAddress } from '../platform/config/addresses.ts'
import { appPart, type Domain, extensionPoint, operationParts, type Platform, part } from '../platform/domain.ts'
import { valueSealOf } from '../projects/domain.ts'
import { environments } from '../projects/projects/tables.ts'
import { knownCommits } from './artifacts/known-commits.ts'
import { startRemoving } from './artifacts/rounds.ts'
import { serveArtifacts } from './artifacts/routes.ts'
import { buildOrder } from './builds/order.ts'
import { serveBuilds } from './builds/routes.ts'
import { serveExecutionAssignments } from './execution-assignments/routes.ts'
import { deliveryObject } from './git-deliveries/handlers.ts'
import type { GitSubscriber } from './git-deliveries/process.ts'
import { receiveGitDeliveries } from './git-deliveries/routes.ts'
import { deleteExpiredDeliveries, overdueDeliveries } from './git-deliveries/store.ts'
import { feedbackObject } from './git-feedback/handlers.ts'
import { dueFeedback } from './git-feedback/store.ts'
import { gitReleaseObject } from './git-releases/handlers.ts'
import { dueGitReleases } from './git-releases/store.ts'
import { serveIacPlans } from './iac-plans/routes.ts'
import type { OnRunEnded } from './pipeline-runs/ended.ts'
import { wakeGatedRuns } from './pipeline-runs/gates/step-gates.ts'
import { runObject } from './pipeline-runs/handlers.ts'
import { overdueRuns, overdueSteps } from './pipeline-runs/reconcile.ts'
import type { RetryOfInstance } from './pipeline-runs/retry.ts'
import { servePipelineRuns } from './pipeline-runs/routes.ts'
import { countQueuedRuns } from './pipeline-runs/store.ts'
import { toStep } from './pipeline-runs/wake.ts'
import { stepObject } from './pipeline-step-executions/handlers.ts'
import { type FindApprovalSubject, servePipelineStepExecutions } from './pipeline-step-executions/routes.ts'
import { countQueuedSteps } from './pipeline-step-executions/store.ts'
import { waitingStepMessages } from './pipeline-step-executions/waiting.ts'
import { scheduleTask } from './pipeline-triggers/schedules.ts'
import { pastVersions } from './pipeline-versions/policy-subjects.ts'
import { servePipelineVersions } from './pipeline-versions/routes.ts'
import { servePipelines } from './pipelines/routes.ts'
import { lockPipelineShared } from './pipelines/store.ts'
import { pipelines as pipelineRows, pipelineRuns, pipelineStepExecutions } from './pipelines/tables.ts'
import { pipelineRecords } from './records.ts'
import { guardedBy } from './runner/address-guard.ts'
import { createAttemptTokens } from './runner/attempt-tokens.ts'
import { countOnSharedRunners, extendAllLeases } from './runner/claim.ts'
import { defaultPace, embeddedPace, paceOnClock } from './runner/claims.ts'
import { commandOrder } from './runner/command-order.ts'
import type { OrderMakers } from './runner/order.ts'
import { ReadySteps } from './runner/ready.ts'
import { serveRunners } from './runner/routes.ts'
import { acceptPoolTokens, sharedRunners } from './runner/runner-tokens.ts'
import { serveRunnerPools } from './runner-pools/routes.ts'
import { taskStarter } from './runner-tasks/begin.ts'
import { overdueTasks, runnerTaskObject } from './runner-tasks/handlers.ts'
import { serveRunnerTasks } from './runner-tasks/routes.ts'
import { acceptTaskTokens } from './runner-tasks/scope.ts'
import { runnerTasks } from './runner-tasks/tables.ts'
import { createTaskTokens } from './runner-tasks/tokens.ts'
import { serveRunnerTokens } from './runner-tokens/routes.ts'
import { reevaluateSteps } from './step-approvals/decide.ts'
import { deleteExpiredStepArtifacts } from './step-artifacts/retention.ts'
import { serveStepArtifacts } from './step-artifacts/routes.ts'
import { startArchiving } from './step-logs/archiving.ts'
import { LogNotifier } from './step-logs/notifier.ts'
import { LogReader } from './step-logs/read.ts'
import { deleteExpiredStepLogs } from './step-logs/retention.ts'
import { serveStepLogs } from './step-logs/routes.ts'

export const onRunEnded = extensionPoint<OnRunEnded>('a run has ended')
export const gitSubscribers = extensionPoint<GitSubscriber>('events of repositories')
/** Extension point that retries a run of a module instance. */
export const instanceRetry = extensionPoint<RetryOfInstance>('retry of a run of a module instance')
export const approvalSubjects = extensionPoint<FindApprovalSubject>('subjects of approvals')
/** Extension point for the runner's instructions, by step type. */
export const stepOrders = extensionPoint<OrderMakers>('orders of steps')

/** Maximum size of an image manifest, in bytes. */
const maxManifestBytes = 4 * 1024 * 1024

/** Notifies runners that are waiting in this process about ready steps. */
export const readyStepsOf = part(() => new ReadySteps())
export const attemptTokensOf = part(({ keys }) => createAttemptTokens(keys.secretsFor('attempts')))
export const taskTokensOf = part(({ keys }) => createTaskTokens(keys.secretsFor('tasks')))
/** Tokens of the installation's shared runners, newest first. */
export const sharedRunnerTokensOf = part(({ keys }) =>
  keys.secretsFor('runners').map((secret) => `slr_${secret.toString('base64url')}`),
)
export const runnerPaceOf = part(({ config, clock }) =>
  paceOnClock(config.databaseUrl === undefined ? embeddedPace : defaultPace, clock),
)
/** Outbound requests for sources and images of runners, to any address that the operator allows. */
export const runnerWaysOf = part(({ config: { outboundAllow } }) => ({
  sendToRegistry: createOutbound(outboundAllow, { timeoutMs: 20_000, maxBytes: maxManifestBytes }),
  guard: guardedBy(parseOutboundRules(outboundAllow ?? [])),
}))
const bellOf = part(() => new LogNotifier())

/** Returns the dependencies for working on runs, used by requests and by the engine's handlers. */
export const runPartsOf = part((platform) => {
  const { config, clock, log, limits } = platform
  return {
    seal: valueSealOf(platform),
    clock: clock.now,
    onRunEnded: onRunEnded.all(platform),
    log,
    limits,
    onReady: () => readyStepsOf(platform).tell(),
    sendOutbound: createOutbound(config.outboundAllow),
    hasSharedRunners: config.sharedRunners === 'on',
  }
})

const runnerPartsOf = (platform: Platform) => {
  const { config, keys } = platform
  return {
    ...operationParts(platform),
    ...gitOf(platform),
    ...runPartsOf(platform),
    ...runnerWaysOf(platform),
    cloud: cloudOf(platform),
    attemptTokens: attemptTokensOf(platform),
    buildSecrets: keys.secretsFor('builds'),
    builder: { address: ownAddress(config), release: manifest.version },
  }
}

/** Serves runner requests. Other domains add the reports of their step types. */
export const assignmentsOf = appPart((app, platform) => {
  const { config, database, clock, hasOneTenant } = platform
  const { db, ofOrganization } = database
  const parts = runnerPartsOf(platform)
  const taskTokens = taskTokensOf(platform)
  const ofPools = acceptPoolTokens(
    db,
    clock.now,
    sharedRunners([...sharedRunnerTokensOf(platform), config.runnerToken]),
  )
  return serveRunners(app, {
    ...parts,
    db,
    bell: bellOf(platform),
    ready: readyStepsOf(platform),
    orders: Object.assign(
      { build: buildOrder(parts), command: commandOrder(ofOrganization) },
      ...stepOrders.all(platform),
    ),
    taskTokens,
    findRunnerScope: acceptTaskTokens(db, taskTokens, ofPools),
    registration: config.registration,
    hasOneTenant,
    runnerPace: runnerPaceOf(platform),
  })
})

export const pipelines: Domain = {
  records: pipelineRecords,
  serve(app, platform) {
    const { archive, database } = platform
    const { db } = database
    const parts = {
      ...runnerPartsOf(platform),
      handOut: assignmentsOf(app, platform),
      bell: bellOf(platform),
      logReader: new LogReader({ archive, archiveSeal: archiveSealOf(platform) }),
      retryOfInstance: instanceRetry.one(platform),
      findApprovalSubject: approvalSubjects.one(platform),
    }
    servePipelines(app)
    servePipelineVersions(app, parts)
    servePipelineRuns(app, parts)
    servePipelineStepExecutions(app, parts)
    serveStepLogs(app, parts)
    serveArtifacts(app, parts)
    serveIacPlans(app)
    serveExecutionAssignments(app)
    serveRunnerTokens(app)
    serveRunnerPools(app, parts)
    serveRunnerTasks(app)
    receiveGitDeliveries(app, { ...parts, db })
    serveBuilds(app, parts)
    serveStepArtifacts(app, parts)
  },
  extensions: (platform) => [
    usageCounts.extend({
      queuedRuns: countQueuedRuns,
      queuedSteps: countQueuedSteps,
      runningSteps: countOnSharedRunners,
    }),
    runReconciliation.extend(wakeGatedRuns),
    stepReconciliation.extend(reevaluateSteps),
    pipelineLock.extend(lockPipelineShared),
    pastSubjects.extend({ PIPELINE_VERSIONS: pastVersions }),
    deploymentCommits.extend(knownCommits(gitOf(platform).hosts)),
    onDeploymentStopped.extend(waitingStepMessages),
    onRehearsalFinished.extend(({ stepExecutionId }) => (stepExecutionId === null ? [] : [toStep(stepExecutionId)])),
  ],
  async prepareWork({ database, clock }) {
    const { db } = database
    // Runners could not renew their leases while this process was down.
    await extendAllLeases(db, new Date(clock.now().getTime() + clock.elapsedMs(defaultPace.leaseMs)))
  },
  work(platform, { own }) {
    const { config, database, engine, limits, archive, log } = platform
    const { db, ofOrganization } = database
    const clock = platform.clock.now
    const runParts = runPartsOf(platform)
    const gitParts = { ...gitOf(platform), clock, log }
    const cloud = cloudOf(platform)
    const taskTokens = taskTokensOf(platform)
    const taskParts = { ...runParts, ...runnerTaskSettings(platform), cloud, taskTokens, pace: pollPaceOf(platform) }
    const linkTo = consoleLinks(config)
    const archiveSeal = archiveSealOf(platform)
    const byDatabase = systemClock.now // the database determines what is old enough to be deleted
    return {
      objects: [
        runObject(own.workOn(pipelineRuns, runParts)),
        stepObject(own.workOn(pipelineStepExecutions, { ...runParts, maxRehearsals: limits.mosts.rehearsals })),
        runnerTaskObject(own.workOn(runnerTasks, taskParts)),
        deliveryObject({ ...gitParts, db, ofOrganization, limits, subscribers: gitSubscribers.all(platform) }),
        feedbackObject(own.workOn(pipelineRows, { ...gitParts, linkToRun: (id: string) => linkTo(`runs/${id}`) })),
        gitReleaseObject(
          own.workOn(environments, {
            ...gitParts,
            knownCommits: knownCommits(gitParts.hosts),
            linkToDeployment: (id: string) => linkTo(`deployments/${id}`),
          }),
        ),
      ],
      overdue: [overdueRuns, overdueSteps, overdueTasks, overdueDeliveries, dueFeedback, dueGitReleases],
      sweeps: [scheduleTask({ db, engine, clock, log, limits }), taskStarter({ db, engine, taskTokens, clock, log })],
      tasks: [
        () => startRemoving({ db, ofOrganization, cloud, clock: byDatabase, log }),
        () => archive && startArchiving({ db, archive, archiveSeal, clock: byDatabase, log }),
      ],
    }
  },
  forget: ({ stepLogRetentionDays: days }) => [
    deleteExpiredDeliveries,
    deleteExpiredStepArtifacts,
    ...(days === undefined ? [] : [deleteExpiredStepLogs(days)]),
  ],
}
