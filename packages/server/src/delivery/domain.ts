import { createOutbound } from '@sluice/outbound/send'
import { findMissingParts } from '../cloud/adapter/ecs/release-parts.ts'
import { cloudOf, pollPaceOf } from '../cloud/domain.ts'
import { deploymentReconciliation, pastSubjects } from '../gates/domain.ts'
import { gitOf } from '../git/domain.ts'
import { usageCounts } from '../identity/domain.ts'
import { onInstancePlaced } from '../modules/domain.ts'
import { systemClock } from '../platform/clock.ts'
import { createSeal } from '../platform/crypto/seal.ts'
import {
  type Domain,
  extensionPoint,
  operationParts,
  type Platform,
  part,
  type WorkerContext,
} from '../platform/domain.ts'
import type { Message } from '../platform/engine/messages.ts'
import { sendToEngine } from '../platform/engine/tell.ts'
import { serveCloudMonitor } from './cloud-monitor/routes.ts'
import { startArchivingDeployments } from './deployment-archives/archiving.ts'
import { DeploymentReader } from './deployment-archives/read.ts'
import { createStartChecks } from './deployment-checks/ecs/check-start.ts'
import { serveDeploymentChecks } from './deployment-checks/routes.ts'
import { serveDeploymentMetrics } from './deployment-metrics/routes.ts'
import { deploymentResourcesObject } from './deployment-resources/handlers.ts'
import { serveDeploymentResources } from './deployment-resources/routes.ts'
import { createMeasure } from './deployments/analysis/measure.ts'
import { createReleaseDigests } from './deployments/approvals/release-digest.ts'
import { serveDeploymentApprovals } from './deployments/approvals/routes.ts'
import { startCountingCrowds } from './deployments/execution/crowds.ts'
import { type DeploymentParts, deploymentObject } from './deployments/execution/handlers.ts'
import { pollWithoutEngine } from './deployments/execution/poll.ts'
import { RecentReads } from './deployments/execution/recent-reads.ts'
import { FollowUps } from './deployments/execution/recently-finished.ts'
import { overdueDeployments, reconcileQueued } from './deployments/execution/reconcile.ts'
import { repositoryAccessGranter } from './deployments/execution/repository-access.ts'
import { deploymentService } from './deployments/execution/wake.ts'
import { storeReleasedService } from './deployments/external/adopt.ts'
import { pastDeployments } from './deployments/representation/policy-subjects.ts'
import type { KnownCommits } from './deployments/representation/sources.ts'
import { serveDeployments } from './deployments/routes.ts'
import { countQueuedDeployments } from './deployments/store/store.ts'
import { deployments } from './deployments/store/tables.ts'
import { startDetection } from './external-deployments/periodic.ts'
import { cloudEventObject } from './infrastructure-events/handlers.ts'
import { createIntake } from './infrastructure-events/intake.ts'
import { startPolling } from './infrastructure-events/poll.ts'
import { deleteExpiredEvents } from './infrastructure-events/retention.ts'
import { receiveInfrastructureEvents, serveInfrastructureEvents } from './infrastructure-events/routes.ts'
import { overdueEvents } from './infrastructure-events/store.ts'
import { infrastructureEvents } from './infrastructure-events/tables.ts'
import { serveModuleImports } from './module-imports/routes.ts'
import { serveModuleInstanceTasks } from './module-instance-tasks/routes.ts'
import { promotionTask } from './promotions/automatic.ts'
import { servePromotionRules } from './promotions/routes.ts'
import { deliveryRecords } from './records.ts'
import type { FindPrice } from './rehearsals/extra-cost.ts'
import { rehearsalObject } from './rehearsals/handlers.ts'
import { RehearsalQueue } from './rehearsals/queue.ts'
import { serveRehearsals } from './rehearsals/routes.ts'
import { runRehearsal } from './rehearsals/run.ts'
import { countUnfinishedRehearsals, deleteOldRehearsals, overdueRehearsals } from './rehearsals/store.ts'
import { type RehearsalRow, rehearsals } from './rehearsals/tables.ts'
import { serveServiceHealth } from './service-health/routes.ts'

export const knownCommits = extensionPoint<KnownCommits>('commits of runs and artifacts')
/** Extension point for messages to pipeline steps that wait for a deployment to pause or end. */
export const onDeploymentStopped = extensionPoint<DeploymentParts['messagesToWaitingSteps']>(
  'a deployment has paused or ended',
)

/** Extension point for prices of resources, from the price list of the organization. */
export const resourcePrices = extensionPoint<FindPrice>('prices of resources')

/** Extension point for messages to pipeline steps that wait for a rehearsal to finish. */
export const onRehearsalFinished = extensionPoint<(row: RehearsalRow) => Message[]>('a rehearsal has finished')

export const releaseDigestsOf = part(({ keys }) => createReleaseDigests(keys.secretsFor('releases')))

/** Encrypts the content of the archive. */
export const archiveSealOf = part(({ keys }) => createSeal(keys.secretsFor('archive')))

const intakeOf = part(({ database, wakeUps, clock, metrics }) => {
  const onEvent = (seconds: number, result: 'new' | 'repeated') => metrics.cloudEvents.observe({ result }, seconds)
  const { db } = database
  return createIntake({ db, wakeUps, clock, onEvent })
})

export const delivery: Domain = {
  records: deliveryRecords,
  serve(app, platform) {
    const { archive, log, database } = platform
    const { db } = database
    const parts = {
      ...operationParts(platform),
      ...gitOf(platform),
      cloud: cloudOf(platform),
      intake: intakeOf(platform),
      deploymentReader: new DeploymentReader({ archive, archiveSeal: archiveSealOf(platform), log }),
      releaseDigests: releaseDigestsOf(platform),
      knownCommits: knownCommits.one(platform),
    }
    serveDeployments(app, parts)
    serveDeploymentChecks(app, parts)
    serveDeploymentApprovals(app, parts)
    serveDeploymentResources(app, parts)
    serveDeploymentMetrics(app, parts)
    serveServiceHealth(app, parts)
    servePromotionRules(app, parts)
    serveModuleImports(app, parts)
    serveRehearsals(app, parts)
    serveModuleInstanceTasks(app, parts)
    serveCloudMonitor(app, parts)
    serveInfrastructureEvents(app)
    receiveInfrastructureEvents(app, { ...parts, db })
  },
  extensions: () => [
    usageCounts.extend({ queuedDeployments: countQueuedDeployments, rehearsals: countUnfinishedRehearsals }),
    onInstancePlaced.extend(storeReleasedService),
    deploymentReconciliation.extend(reconcileQueued),
    pastSubjects.extend({ DEPLOYMENTS: pastDeployments }),
  ],
  work(platform, worker) {
    const { config, database, engine, wakeUps, archive, log } = platform
    const { db, ofOrganization } = database
    const { own, undo } = worker
    const clock = platform.clock.now
    const cloud = cloudOf(platform)
    const archiveSeal = archiveSealOf(platform)
    const parts = deploymentPartsOf(platform, worker)
    const send = (message: Message) => sendToEngine(engine, message)
    undo(wakeUps.checkFirst(deploymentService, pollWithoutEngine(own.partsOf(deployments, { ...parts, send }))))
    const pace = { ...pollPaceOf(platform), crowdMs: 0 }
    const finished = onRehearsalFinished.all(platform)
    const onFinished = (row: RehearsalRow) => {
      const messages = finished.flatMap((messagesOn) => messagesOn(row))
      // A lost message costs time only: the step checks its rehearsal periodically.
      for (const message of messages) send(message).catch((err) => log.warn({ err }, 'a message was not sent'))
    }
    const rehearsalParts = {
      cloud,
      clock: platform.clock,
      pace,
      log,
      onFinished,
      findPrice: resourcePrices.one(platform),
    }
    const queue = new RehearsalQueue({ run: (...rehearsal) => runRehearsal(rehearsalParts, ...rehearsal), log })
    undo(() => queue.stop())
    const everyMs = platform.clock.elapsedMs(config.outsidePollMs)
    const { archiveDeploymentsAfterDays: afterDays } = config
    const byDatabase = systemClock.now // the database determines which deployments are old enough
    return {
      objects: [
        deploymentObject(own.workOn(deployments, parts)),
        deploymentResourcesObject(own.workOn(deployments, { cloud, clock })),
        rehearsalObject(own.workOn(rehearsals, { queue })),
        cloudEventObject(own.workOn(infrastructureEvents, parts)),
      ],
      overdue: [overdueDeployments, overdueEvents, overdueRehearsals],
      sweeps: [promotionTask({ db, ofOrganization, cloud, engine, clock, log })],
      tasks: [
        () => startPolling({ db, cloud, intake: intakeOf(platform), clock: platform.clock, log }),
        () => startDetection({ db, ofOrganization, cloud, engine, clock, log, everyMs }),
        () => archive && startArchivingDeployments({ db, archive, archiveSeal, afterDays, clock: byDatabase, log }),
      ],
    }
  },
  forget: ({ eventRetentionDays, rehearsalRetentionDays }) => [
    deleteOldRehearsals(rehearsalRetentionDays),
    ...(eventRetentionDays === undefined ? [] : [deleteExpiredEvents(eventRetentionDays)]),
  ],
}

/** Returns the dependencies of the deployment handlers, except the database, which depends on the organization. */
function deploymentPartsOf(platform: Platform, { timers, undo }: WorkerContext): Omit<DeploymentParts, 'db'> {
  const { config, database, clock, log, limits } = platform
  const { db, ofOrganization } = database
  const openedAt = clock.now()
  const crowds = startCountingCrowds({ db, clock: clock.now })
  undo(() => crowds.stop())
  const subscribers = onDeploymentStopped.all(platform)
  return {
    cloud: cloudOf(platform),
    pace: pollPaceOf(platform),
    crowdMs: (organizationId) => clock.elapsedMs(crowds.crowdMs(organizationId)),
    clock: clock.now,
    measure: createMeasure(createOutbound(config.outboundAllow)),
    lendAccess: repositoryAccessGranter(ofOrganization, gitOf(platform)),
    checkStart: createStartChecks(log),
    findMissingParts,
    onStart: ({ organizationId, createdAt }, isHeldBack) => {
      const waitedMs = clock.realMs(clock.now().getTime() - createdAt.getTime())
      const isQueueing = !isHeldBack && createdAt >= openedAt // before, it waited for the process
      limits.admission?.observe('work', organizationId, 'starts', isQueueing ? waitedMs : undefined)
    },
    messagesToWaitingSteps: async (tx, row) => (await Promise.all(subscribers.map((notify) => notify(tx, row)))).flat(),
    timers,
    readings: new RecentReads(),
    followedUp: new FollowUps(),
    log,
  }
}
