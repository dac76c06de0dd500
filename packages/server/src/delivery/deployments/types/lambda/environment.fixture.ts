import { OutboundError } from '@sluice/outbound/send'
import { CloudPermanentError, CloudTransientError } from '../../../../cloud/adapter/cloud-call.ts'
import { createMeasure } from '../../analysis/measure.ts'
import { recordAnswer, retryLater } from '../../execution/attempts.ts'
import { isFinal } from '../../execution/machine.ts'
import { ModelWorld, pace } from '../model-environment.fixture.ts'
import { lambda } from './deployment-type.ts'
import { executeLambdaAction } from './execute.ts'
import { type LambdaCloudAction, onRejected } from './machine.ts'
import { ModelCloud, WorkerCrash } from './model-cloud.fixture.ts'
import type { LambdaRelease, LambdaStrategy } from './release.ts'
import type { LambdaState } from './state.ts'

const functionArn = 'arn:aws:lambda:eu-west-1:111122223333:function:thumbnails'

export const releaseOf = (strategy: LambdaStrategy, more: Partial<LambdaRelease> = {}): LambdaRelease => ({
  type: 'cloud:lambda',
  cloudAccountId: 'ca_1',
  region: 'eu-west-1',
  functionArn,
  aliasName: 'live',
  code: { s3Bucket: 'artifacts', s3Key: 'new' },
  strategy,
  timeoutSeconds: 1_800,
  queue: { queueSize: 1, queueOverflow: 'oldest' },
  ...more,
})

/** Model of a row, the cloud, and a worker that may crash at any point. */
export class World extends ModelWorld<LambdaState, LambdaCloudAction> {
  readonly cloud = new ModelCloud()
  /** Times at which each shift of traffic was observed. */
  readonly shiftedAt: Date[] = []
  /** HTTP status that checks receive, or `nothing` for an inconclusive result. */
  answers: number | 'nothing' = 200

  constructor(release: LambdaRelease) {
    super(lambda, release)
  }

  override save(next: LambdaState): void {
    super.save(next)
    while (this.shiftedAt.length < next.progress.shifts) this.shiftedAt.push(this.now)
  }

  /** Handles one message like the real handlers. */
  async advance(): Promise<void> {
    const before = this.row
    const action = this.nextInCloud()
    if (!action) return
    const { row } = this
    const clients = { lambda: this.cloud.client } as Parameters<typeof executeLambdaAction>[2]['clients']
    const site = {
      moduleInstanceId: 'mi_1',
      lendAccess: async () => undefined,
      checkStart: async () => undefined,
      findMissingParts: async () => ({ images: [], logGroups: [] }),
      siteReleases: async () => [],
      functionReleases: async () => [],
    }
    const measure = createMeasure(async () => {
      if (this.answers === 'nothing') throw new OutboundError('NOT_ALLOWED', 'this may not be asked')
      return { status: this.answers, headers: {}, body: '', isUtf8: true }
    })
    const forShow = <T>(read: () => Promise<T>) => read()
    const situation = { ...site, forShow, clients, pace, clock: () => this.now, measure, beforeSend: () => {} }
    try {
      this.save(await executeLambdaAction(action, row, situation))
    } catch (error) {
      if (error instanceof CloudTransientError && error.cause instanceof WorkerCrash) return
      if (error instanceof CloudTransientError)
        return this.save(retryLater(recordAnswer(row, before), error.message, pace, this.now))
      if (!(error instanceof CloudPermanentError)) throw error
      this.save(onRejected(row, { name: error.reason, message: error.message }, action, pace, this.now))
    }
  }

  continue(hook?: number): void {
    const hookId = hook === undefined ? undefined : `dep_1-pause-${hook}`
    const decision = lambda.continueAfterPause(this.row, { hookId, by: 'ada@example.com' }, this.now)
    if (decision.verdict === 'accepted') this.save(decision.deployment)
  }

  wait(minutes: number): void {
    this.pass(minutes * 60_000)
  }

  /** Runs without users until the deployment has ended. */
  async runOut(): Promise<void> {
    for (let turns = 0; !isFinal(this.row.status) && turns < 2_000; turns++) {
      this.start()
      await this.advance()
      this.cloud.step()
      this.passToWakeUp()
    }
  }
}

/** Check of an analysis, which receives the status in `answers`. */
export const check = { name: 'smoke', http: { url: 'https://shop.example', headers: {}, status: 200 } }
