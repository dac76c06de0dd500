import { createOutbound } from '@sluice/outbound/send'
import type { Logger } from 'pino'
import type { Cloud } from './cloud/adapter/access.ts'
import { certificateObject, overdueCertificates } from './cloud/certificates/handlers.ts'
import { certificates } from './cloud/certificates/tables.ts'
import { startChecks } from './cloud/cloud-accounts/checks.ts'
import { startArchivingDeployments } from './delivery/deployment-archives/archiving.ts'
import { deploymentResourcesObject } from './delivery/deployment-resources/handlers.ts'
import { type CrowdMs, startFollowingCrowds } from './delivery/deployments/execution/crowds.ts'
import { type DeploymentParts, deploymentObject } from './delivery/deployments/execution/handlers.ts'
import { lookAlone } from './delivery/deployments/execution/poll.ts'
import { RecentReadings } from './delivery/deployments/execution/recent-reads.ts'
import { FollowedUp } from './delivery/deployments/execution/recently-finished.ts'
import { overdueDeployments } from './delivery/deployments/execution/reconcile.ts'
import { accessLender } from './delivery/deployments/execution/repository-access.ts'
import { deploymentService } from './delivery/deployments/execution/wake.ts'
import { deployments } from './delivery/deployments/store/tables.ts'
import { cloudEventObject } from './delivery/infrastructure-events/handlers.ts'
import type { Intake } from './delivery/infrastructure-events/intake.ts'
import { startPolling } from './delivery/infrastructure-events/poll.ts'
import { overdueEvents } from './delivery/infrastructure-events/store.ts'
import { infrastructureEvents } from './delivery/infrastructure-events/tables.ts'
import { startLooks } from './delivery/outside-releases/rounds.ts'
import { promoting } from './delivery/promotions/automatic.ts'
import type { GitHosts } from './git/adapter/hosts.ts'
import type { ConnectionTokens } from './git/githostb-connections/tokens.ts'
import { type SignHead, startExportingHeads } from './identity/audit-events/heads.ts'
import { startEnding } from './identity/organizations/end.ts'
import { instanceRunsFor } from './infrastructure/instance-runs/set-off.ts'
import { previewObject } from './infrastructure/preview-environments/handlers.ts'
import { overduePreviews, someTemplateHasPaths } from './infrastructure/preview-environments/store.ts'
import { previewEnvironments } from './infrastructure/preview-environments/tables.ts'
import { previewsFor } from './infrastructure/preview-environments/told.ts'
import { lookingForDrift } from './infrastructure/stack-drift/schedule.ts'
import { readChanges } from './interface/changes/store.ts'
import { usersOfOrganization } from './interface/in-use/organization.ts'
import { regionsOfCloudAccount } from './interface/in-use/regions.ts'
import { removeHistoryOfEnvironment, removeUnusedStack } from './interface/in-use/removal.ts'
import { usersOfEnvironment } from './interface/in-use/users.ts'
import { watchedPullRequestObject, watchedRepositoryObject } from './interface/watched-repositories/handlers.ts'
import { overdueWatched, overdueWatchedRequests, someWatches } from './interface/watched-repositories/store.ts'
import { watchedPullRequests, watchedRepositories } from './interface/watched-repositories/tables.ts'
import { watchedPushed, watchedRequested } from './interface/watched-repositories/told.ts'
import { notificationChannelObject } from './notifications/notification-channels/handlers.ts'
import { dueChannels } from './notifications/notification-channels/store.ts'
import { notificationChannels } from './notifications/notification-channels/tables.ts'
import type { DigestOf } from './notifications/notification-deliveries/events/parts.ts'
import { lookingForNews, lookingForPeople } from './notifications/notification-deliveries/look.ts'
import { slackPressObject } from './notifications/slack-presses/handlers.ts'
import { dueSlackReplies } from './notifications/slack-presses/store.ts'
import { slackPresses } from './notifications/slack-presses/tables.ts'
import { knownCommits } from './pipelines/artifacts/known-commits.ts'
import { startRemoving } from './pipelines/artifacts/rounds.ts'
import { deliveryObject } from './pipelines/git-deliveries/handlers.ts'
import { overdueDeliveries } from './pipelines/git-deliveries/store.ts'
import { feedbackObject } from './pipelines/git-feedback/handlers.ts'
import { dueFeedback } from './pipelines/git-feedback/store.ts'
import { gitReleaseObject } from './pipelines/git-releases/handlers.ts'
import { dueGitReleases } from './pipelines/git-releases/store.ts'
import { runObject } from './pipelines/pipeline-runs/handlers.ts'
import type { WhenOver } from './pipelines/pipeline-runs/look.ts'
import { overdueRuns, overdueSteps } from './pipelines/pipeline-runs/reconcile.ts'
import { stepObject } from './pipelines/pipeline-step-executions/handlers.ts'
import { toStepsWaiting } from './pipelines/pipeline-step-executions/waiting.ts'
import { runsForMergeGroup } from './pipelines/pipeline-triggers/merge-group.ts'
import { runsForRequest } from './pipelines/pipeline-triggers/pull-request.ts'
import { runsForPush } from './pipelines/pipeline-triggers/push.ts'
import { scheduling } from './pipelines/pipeline-triggers/schedules.ts'
import { pipelineRuns, pipelineStepExecutions, pipelines } from './pipelines/pipelines/tables.ts'
import { believeAllAlive } from './pipelines/runner/claim.ts'
import { usualPace } from './pipelines/runner/claims.ts'
import type { ReadySteps } from './pipelines/runner/ready.ts'
import { beginning } from './pipelines/runner-tasks/begin.ts'
import { overdueTasks, runnerTaskObject } from './pipelines/runner-tasks/handlers.ts'
import { runnerTasks } from './pipelines/runner-tasks/tables.ts'
import type { TaskTokens } from './pipelines/runner-tasks/tokens.ts'
import { startArchiving } from './pipelines/step-logs/archiving.ts'
import type { Archive } from './platform/archive/archive.ts'
import { type Clock, systemClock } from './platform/clock.ts'
import type { Config } from './platform/config/settings.ts'
import type { Seal } from './platform/crypto/seal.ts'
import type { Database } from './platform/db/open.ts'
import { ownership } from './platform/db/ownership.ts'
import { startSweeps } from './platform/db/sweeps.ts'
import type { EngineConnection } from './platform/engine/engine.ts'
import type { Message } from './platform/engine/messages.ts'
import { reconciling } from './platform/engine/reconciler.ts'
import { sendToEngine } from './platform/engine/tell.ts'
import { createTimers, type Timers } from './platform/engine/timers.ts'
import type { WakeUps } from './platform/engine/wake-ups.ts'
import type { Services } from './platform/engine/worker.ts'
import type { OwnRequests } from './platform/http/own-requests.ts'
import type { Limits } from './platform/limits/limits.ts'
import { createMail } from './platform/mail/send.ts'
import { environments } from './projects/projects/tables.ts'

type Own = ReturnType<typeof ownership>
/** Without the database, which is that of each deployment's organization. */
type OwnDeploymentParts = Omit<DeploymentParts, 'db'>

/** What the worker role is made of: what other roles of the process use too, and what is of this process alone. */
export type WorkerParts = {
  config: Config
  database: Database
  engine: EngineConnection
  cloud: Cloud
  archive: Archive | undefined
  hosts: GitHosts
  tokens: ConnectionTokens
  seal: Seal
  channelSeal: Seal
  archiveSeal: Seal
  taskTokens: TaskTokens
  limits: Limits
  ready: ReadySteps
  /** The way to our own operations. */
  ownRequests: OwnRequests
  wakeUps: WakeUps
  intake: Intake
  whenOver: WhenOver
  hasSharedRunners: boolean
  runnerUrl: string | undefined
  onSentAgain: (object: string) => void
  /** Where people find a page of the console. */
  linkTo: (page: string) => string
  /** What a deployment releases, in short. */
  digestOf: DigestOf
  /** Where the link of a mail to people leads that ends such mails. */
  unsubscribeUrl: (channelId: string) => string
  /** Signs heads of audit logs. */
  signHead: SignHead
  clock: Clock
  log: Logger
  engineLog: Logger
}

/** What a process does as a worker. It may be started again after a stop. */
export type WorkerRole = { start(): Promise<void>; stop(): Promise<void> }

/** Creates the worker role of a process; one start or stop waits for the end of the one before. */
export function createWorkerRole(parts: WorkerParts): WorkerRole {
  const undo: (() => unknown)[] = []
  let last: Promise<unknown> = Promise.resolve()
  const inOrder = (work: () => Promise<void>): Promise<void> => {
    const next = last.then(work)
    last = next.catch(() => {}) // the caller handles it
    return next
  }
  const undoAll = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  const start = async () => {
    try {
      await startWorkerRole(parts, (step) => undo.push(step))
    } catch (error) {
      await undoAll()
      throw error
    }
  }
  return { start: () => inOrder(start), stop: () => inOrder(undoAll) }
}

/**
 * Starts what a process does as a worker: it serves the handlers to the engine, and does by itself what nobody asks
 * for. What is to be stopped is handed to `undo` as soon as it runs, also where a later part cannot start.
 */
async function startWorkerRole(parts: WorkerParts, undo: (step: () => unknown) => void): Promise<void> {
  const { config, database, engine, cloud, taskTokens, limits, wakeUps, intake } = parts
  const { onSentAgain, linkTo, digestOf, log, engineLog } = parts
  const clock = parts.clock.now
  const { db, ofOrganization } = database
  const sendsMail = config.smtpUrl !== undefined
  // Before anybody looks: no runner could say that it is alive while we were not there.
  await believeAllAlive(db, new Date(clock().getTime() + parts.clock.elapsedMs(usualPace.leaseMs)))
  const timers = createTimers(wakeUps, parts.clock)
  undo(() => timers.stop())
  const crowds = startFollowingCrowds({ db, clock })
  undo(() => crowds.stop())
  const deploymentParts = deploymentPartsOf(parts, timers, crowds.crowdMs)
  const own = ownership(database)
  const send = (message: Message) => sendToEngine(engine, message)
  undo(wakeUps.lookFirst(deploymentService, lookAlone(own.partsOf(deployments, { ...deploymentParts, send }))))
  undo(() => engine.withdraw())
  await engine.serve(objectsOf(parts, own, deploymentParts).map((objectBy) => objectBy(parts.clock)))
  const sweeping = startSweeps({
    db,
    clock: parts.clock,
    log,
    sweeps: [
      ...reconciling({ db, engine, onSentAgain, clock: parts.clock, log: engineLog }, overdue),
      scheduling({ db, engine, clock, log, limits }),
      lookingForDrift({ db, engine, clock, log, limits }),
      beginning({ db, engine, taskTokens, clock, log }),
      promoting({ db, ofOrganization, cloud, engine, clock, log }),
      lookingForNews({ db, ofOrganization, readChanges, linkTo, digestOf, sendsMail, clock, log }),
      ...(sendsMail ? [lookingForPeople({ db })] : []),
    ],
  })
  undo(() => sweeping.stop())
  const polling = startPolling({ db, cloud, intake, clock: parts.clock, log })
  undo(() => polling.stop())
  const checks = startChecks({ db, ofOrganization, cloud, clock, log, regionsOfCloudAccount })
  undo(() => checks.stop())
  const ending = startEnding({ db, clock, log, findBusy: usersOfOrganization })
  undo(() => ending.stop())
  const lookEveryMs = parts.clock.elapsedMs(config.outsidePollMs)
  const looks = startLooks({ db, ofOrganization, cloud, engine, clock, log, everyMs: lookEveryMs })
  undo(() => looks.stop())
  const byDatabase = systemClock.now // what is old enough to go is dated by the database
  const removing = startRemoving({ db, ofOrganization, cloud, clock: byDatabase, log })
  undo(() => removing.stop())
  const { archive, archiveSeal, signHead } = parts
  const exporting = startExportingHeads({ db, signHead, archive, clock, log })
  undo(() => exporting.stop())
  const archiving = archive && startArchiving({ db, archive, archiveSeal, clock: byDatabase, log })
  undo(() => archiving?.stop())
  const { archiveDeploymentsAfterDays: afterDays } = config
  const aside = archive && startArchivingDeployments({ db, archive, archiveSeal, afterDays, clock: byDatabase, log })
  undo(() => aside?.stop())
}

/** How often the cloud is polled is set in real time: each poll costs a call. */
const paceOf = ({ config, clock }: WorkerParts) => ({
  minMs: clock.elapsedMs(config.pollMinMs),
  maxMs: clock.elapsedMs(config.pollMaxMs),
  pausedMaxMs: clock.elapsedMs(config.pausedPollMaxMs),
})

function deploymentPartsOf(parts: WorkerParts, timers: Timers, crowdMs: CrowdMs): OwnDeploymentParts {
  const { config, database, cloud, hosts, tokens, clock, log } = parts
  return {
    cloud,
    pace: paceOf(parts),
    crowdMs: (organizationId) => clock.elapsedMs(crowdMs(organizationId)),
    clock: clock.now,
    sendOutbound: createOutbound(config.outboundAllow),
    lendAccess: accessLender(database.ofOrganization, { hosts, tokens }),
    toThoseWaiting: toStepsWaiting,
    timers,
    readings: new RecentReadings(),
    followedUp: new FollowedUp(),
    log,
  }
}

/** The handlers that the engine calls, once they know the clock. */
function objectsOf(
  parts: WorkerParts,
  own: Own,
  deploymentParts: OwnDeploymentParts,
): ((clock: Clock) => Services[number])[] {
  const { config, database, cloud, hosts, tokens, seal, channelSeal, taskTokens, runnerUrl } = parts
  const { limits, ready, ownRequests, whenOver, hasSharedRunners, linkTo, unsubscribeUrl, log } = parts
  const { db, ofOrganization } = database
  const { runnerImage } = config
  const clock = parts.clock.now
  const pace = paceOf(parts)
  const onReady = () => ready.tell()
  const runParts = { seal, clock, whenOver, onReady, sendOutbound: deploymentParts.sendOutbound, hasSharedRunners }
  const gitParts = { hosts, tokens, clock, log }
  return [
    deploymentObject(own.workOn(deployments, deploymentParts)),
    deploymentResourcesObject(own.workOn(deployments, { cloud, clock })),
    cloudEventObject(own.workOn(infrastructureEvents, deploymentParts)),
    runObject(own.workOn(pipelineRuns, runParts)),
    stepObject(own.workOn(pipelineStepExecutions, runParts)),
    runnerTaskObject(
      own.workOn(runnerTasks, {
        cloud,
        seal,
        taskTokens,
        runnerImage,
        runnerUrl,
        pace,
        clock,
        hasSharedRunners,
        onReady,
      }),
    ),
    certificateObject(own.workOn(certificates, { cloud, pace, clock })),
    deliveryObject({
      ...gitParts,
      db,
      ofOrganization,
      runsForPush: (tx, push, now) => runsForPush(tx, push, { log, limits }, now),
      runsForRequest: (tx, asked, now) => runsForRequest(tx, asked, { log, limits }, now),
      runsForMergeGroup: (tx, group, now) => runsForMergeGroup(tx, group, { log, limits }, now),
      instanceRunsFor: (tx, news, now) => instanceRunsFor(tx, news, { log, limits }, now),
      previewsFor,
      watchedPushed,
      watchedRequested,
      needsPaths: async (...source) => (await someTemplateHasPaths(...source)) || (await someWatches(...source)),
    }),
    previewObject(
      own.workOn(previewEnvironments, {
        ...gitParts,
        seal,
        limits,
        whenOver,
        hasSharedRunners,
        linkTo,
        usersOfEnvironment,
        removeHistoryOfEnvironment,
        removeUnusedStack,
      }),
    ),
    watchedRepositoryObject(own.workOn(watchedRepositories, { ...gitParts, ofOrganization, ownRequests, linkTo })),
    watchedPullRequestObject(own.workOn(watchedPullRequests, { ...gitParts, ofOrganization, ownRequests, linkTo })),
    () => feedbackObject(own.workOn(pipelines, { ...gitParts, linkToRun: (id: string) => linkTo(`runs/${id}`) })),
    gitReleaseObject(
      own.workOn(environments, {
        ...gitParts,
        knownCommits: knownCommits(hosts),
        linkToDeployment: (id: string) => linkTo(`deployments/${id}`),
      }),
    ),
    notificationChannelObject(
      own.workOn(notificationChannels, {
        channelSeal,
        clock,
        sendOutbound: toChannels(config.outboundAllow),
        sendMail: mailBy(config, log),
        unsubscribeUrl,
      }),
    ),
    slackPressObject(own.workOn(slackPresses, { channelSeal, clock, sendOutbound: toChannels(config.outboundAllow) })),
  ]
}

/** What is looked for again and again, because its message may be lost. */
const overdue = [
  overdueDeployments,
  overdueEvents,
  overdueRuns,
  overdueSteps,
  overdueTasks,
  overdueCertificates,
  overdueDeliveries,
  overduePreviews,
  overdueWatched,
  overdueWatchedRequests,
  dueFeedback,
  dueGitReleases,
  dueChannels,
  dueSlackReplies,
]

/** The way of mail, where the operator has set one up. */
const mailBy = ({ smtpUrl, mailFrom }: Config, log: Logger) =>
  smtpUrl === undefined || mailFrom === undefined ? undefined : createMail({ smtpUrl, mailFrom, log })

/** The way to receivers of notifications: they are quick, and what they say is not read to its end. */
const toChannels = (allow: readonly string[] | undefined) =>
  createOutbound(allow, { timeoutMs: 10_000, maxBytes: 64 * 1024 })
