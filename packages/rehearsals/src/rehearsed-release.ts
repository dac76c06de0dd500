import { EmbeddedCloud } from '@sluice/cloud-sim/embedded'
import { type CloudClients, clientsInProcess } from '@sluice/server/cloud/adapter/access'
import type { MissingParts } from '@sluice/server/cloud/facts/ecs'
import type { Measure } from '@sluice/server/delivery/deployments/analysis/measure'
import { recordAttempt } from '@sluice/server/delivery/deployments/execution/attempts'
import { isFinal } from '@sluice/server/delivery/deployments/execution/machine'
import { outcomeOf } from '@sluice/server/delivery/deployments/execution/outcome'
import { type DeploymentState, isDue, later } from '@sluice/server/delivery/deployments/execution/state'
import { typeOf } from '@sluice/server/delivery/deployments/types/deployment-types'
import type { RehearsalJob } from '@sluice/server/delivery/rehearsals/job'
import type { Copy, Versions } from './copy.ts'
import { copyOf } from './copy-of.ts'
import { measureErrors } from './measurements.ts'

/** Fields of a deployment that the release code reads. */
type Row = DeploymentState & { organizationId: string; moduleInstanceId: string }

/** Seed of random numbers, so that rehearsals are reproducible. */
const seed = 1

/** Time before the release in which a copy becomes steady, in milliseconds. Only services have to start tasks. */
const settleMs = { 'cloud:ecs': 3_600_000, 'cloud:ec2': 0, 'cloud:lambda': 0, 'cloud:static': 0 }

/** Time after which the reconciler detects a lost worker, in milliseconds. */
const takeoverMs = 15_000

/** Time without a change after which polls become rarer, in milliseconds. */
const fineMs = 600_000
/** Share of the time without a change after which the next poll is made. */
const coarseShare = 0.1

/** Maximum number of consecutive steps at one virtual time. More indicate an endless loop. */
const maxTurns = 200

/**
 * Release in a simulated copy of the service. The server's code makes all decisions and changes. This class replaces
 * the database, the engine and the clock.
 */
export class RehearsedRelease {
  readonly job: RehearsalJob
  readonly cloud: EmbeddedCloud
  readonly copy: Copy
  readonly startedAt: Date
  readonly #clients: CloudClients
  /** Measures the checks of the release's analysis. */
  measure: Measure = measureErrors(() => undefined)
  #row: Row
  /** Whether a cloud event requires a poll. */
  #isTold = false
  /** Whether the worker dies after each change of the cloud, before it saves the result. */
  #losesSaves = false
  /** Action that was lost last, and how far the release had come. */
  #lostAt: string | undefined

  private constructor(job: RehearsalJob, cloud: EmbeddedCloud, copy: Copy, clients: CloudClients) {
    this.job = job
    this.cloud = cloud
    this.copy = copy
    this.#clients = clients
    this.startedAt = cloud.now()
    this.#row = begin(job, this.startedAt)
    cloud.onEvent((eventType) => {
      if (copy.concernsRelease(eventType)) this.#isTold = true
    })
  }

  /** Creates the copy and starts the release when it is steady. */
  static async open(job: RehearsalJob): Promise<RehearsedRelease> {
    const { twin } = job
    const startsAt = new Date(twin.readAt)
    const cloud = new EmbeddedCloud({ startsAt: new Date(startsAt.getTime() - settleMs[job.type]), seed })
    const copy = copyOf(job, cloud)
    await copy.create()
    cloud.advanceTo(startsAt)
    const roleArn = `arn:aws:iam::${twin.accountNumber}:role/rehearsal`
    const credentials = await cloud.signIn(roleArn)
    const clients = clientsInProcess(cloud.requestHandler, { region: twin.region, credentials })
    return new RehearsedRelease(job, cloud, copy, clients)
  }

  get row(): DeploymentState {
    return this.#row
  }

  get isOver(): boolean {
    return isFinal(this.#row.status)
  }

  /** Returns tasks and traffic of the previous version and of the new one. */
  versions(): Versions {
    return this.copy.versions(this.#row)
  }

  /** Makes the worker die after each change of the cloud. */
  loseSaves(): void {
    this.#losesSaves = true
  }

  /** Continues the current pause as a user. */
  continueAfterPause(): void {
    const now = this.cloud.now()
    const decision = typeOf(this.#row).continueAfterPause(this.#row, { hookId: undefined, by: 'a user' }, now)
    if (decision.verdict === 'accepted') this.#row = { ...this.#row, ...decision.deployment }
  }

  /** Executes all steps that are due. */
  async work(): Promise<void> {
    for (let turn = 0; turn < maxTurns; turn++) {
      const isTold = this.#isTold
      this.#isTold = false
      if (this.isOver || !(isTold || isDue(this.#row, this.cloud.now()))) return
      await this.#takeStep(isTold)
    }
    throw new Error(`The release does not wait for anything: ${this.#row.waitingFor}`)
  }

  /**
   * Advances the virtual time to the next due moment, at most to `latest`. The longer nothing has changed, since
   * `quietSince`, the rarer are polls: one of a bake of many hours finds what an event of the cloud reports as well.
   */
  passTo(latest: Date, quietSince: Date): void {
    const { wakeAt, deadlineAt } = this.#row
    const now = this.cloud.now()
    const quietMs = now.getTime() - quietSince.getTime()
    const earliest = quietMs > fineMs ? later(now, quietMs * coarseShare) : now
    const pollAt = wakeAt && wakeAt < earliest ? earliest : wakeAt
    const moments = [pollAt, deadlineAt, this.cloud.nextDueAt(), latest]
    const times = moments.flatMap((moment) => (moment ? [moment.getTime()] : []))
    this.cloud.advanceTo(new Date(Math.min(...times)))
  }

  /**
   * Executes one step like the server's worker: decides, records the attempt before a change, and saves its outcome.
   */
  async #takeStep(isTold: boolean): Promise<void> {
    const row = this.#row
    const now = this.cloud.now()
    const kind = typeOf(row)
    const action = kind.nextAction(row, now)
    if (action.do === 'rest') return
    if (action.do === 'expire') {
      this.#row = { ...row, ...kind.onDeadline(row, now) }
      return
    }
    const isChange = kind.changesCloud(action)
    if (isChange) this.#row = { ...row, ...recordAttempt<DeploymentState>(row, now) }
    const readAt = performance.now()
    const read = { row: this.#row, account: this.#account(), isTold, readAt }
    const next = await outcomeOf(this.#parts(), read, row, action)
    // Another worker finds the attempt and checks whether it had an effect.
    const isLost = isChange && this.#losesSave(action.do)
    this.#row = isLost ? { ...this.#row, wakeAt: later(now, takeoverMs) } : { ...this.#row, ...next }
  }

  /**
   * Reports whether the worker dies before it saves an action. It survives the next attempt, because an action that
   * only prepares a change leaves no trace in the cloud.
   */
  #losesSave(action: string): boolean {
    const moment = `${action} ${this.#row.data.events?.length}`
    const isLost = this.#losesSaves && this.#lostAt !== moment
    this.#lostAt = isLost ? moment : undefined
    return isLost
  }

  /** Returns what was missing in the account. Registries and log groups are not copied. */
  #missingPartsOf(definitionArn: string): MissingParts {
    const { job } = this
    const isReleased =
      job.type === 'cloud:ecs' &&
      'reuse' in job.release.taskDefinition &&
      job.release.taskDefinition.reuse.arn === definitionArn
    return isReleased ? job.twin.missing : { images: [], logGroups: [] }
  }

  #account() {
    const { organizationId, release } = this.job
    return { id: release.cloudAccountId, organizationId, roleArn: '', externalId: '' }
  }

  #parts(): Parameters<typeof outcomeOf>[0] {
    const { minMs, maxMs, pausedMaxMs, crowdMs } = this.job.pace
    return {
      cloud: { clientsFor: () => this.#clients },
      pace: { minMs, maxMs, pausedMaxMs },
      crowdMs: () => crowdMs,
      clock: this.cloud.now,
      measure: this.measure,
      lendAccess: async () => undefined,
      checkStart: async () => (this.job.type === 'cloud:ecs' ? this.job.startChecks : undefined),
      findMissingParts: async (_, { arn }) => this.#missingPartsOf(arn),
      listSiteReleases: async () => (this.job.type === 'cloud:static' ? this.job.pastReleases : []),
      listFunctionReleases: async () => [],
      log: { debug() {}, info() {} },
    }
  }
}

/** Returns the deployment at its start. */
function begin(job: RehearsalJob, now: Date): Row {
  const { rehearsalId: id, organizationId, moduleInstanceId, release, known } = job
  const kind = typeOf({ release })
  const { resourceArn, data, progress } = kind.begin(release, { id, channel: 'API', triggeredBy: 'a rehearsal' })
  const waiting = { startedAt: null, completedAt: null, error: null, externalDeploymentId: null, waitingFor: null }
  const row: DeploymentState = {
    id,
    status: 'PENDING',
    release,
    data: { ...data, ...known } as DeploymentState['data'], // both have the type of the release
    progress,
    resourceArn: resourceArn ?? null,
    ...waiting,
    wakeAt: null,
    deadlineAt: null,
  }
  return { ...kind.start(row, now), organizationId, moduleInstanceId }
}
