import type {
  AppliedRead,
  AppliedReport,
  ArtifactFound,
  ArtifactPublished,
  CloudSession,
  FindArtifact,
  ImagePublished,
  LogPiece,
  Outcome,
  PlanRead,
  PlanReport,
  PlanTaken,
  PublishArtifact,
  PublishImage,
  RunnerPath,
  Settled,
  Settlement,
  SourceAccess,
  TakePlan,
} from '@sluice/contract/runner-protocol'
import { runnerPaths } from '@sluice/contract/runner-protocol/constants'
import { type ApiAway, ApiRefusal, type Call, untilHeard } from './call.ts'
import type { Lease } from './lease.ts'

/** The API takes nothing from the attempt any more: it is over, or another's. */
export class AttemptOver extends Error {
  override readonly name = 'AttemptOver'
}

/** The API does not accept a report of the attempt: it rejects it, or fails at this one again and again. */
export class ReportRejected extends Error {
  override readonly name = 'ReportRejected'
  readonly path: RunnerPath
  readonly status: number

  constructor(path: RunnerPath, { status, body }: Pick<ApiRefusal, 'status' | 'body'>) {
    const answer = status === 0 ? 'was not answered' : `was answered with the status ${status}`
    const message = status < 300 && status > 0 ? 'no JSON object' : body.message
    super(`POST ${path} ${answer}${typeof message === 'string' ? `: ${message}` : ''}`)
    this.path = path
    this.status = status
  }
}

/** The API has found a reason for the step to fail. */
export class AttemptRefused extends Error {
  override readonly name = 'AttemptRefused'
  readonly error: Extract<Outcome, { status: 'ERROR' }>['error']

  constructor(error: Extract<Outcome, { status: 'ERROR' }>['error']) {
    super(error.message)
    this.error = error
  }
}

export type AttemptCallsParts = {
  call: Call
  token: string
  lease: Lease
  /** Aborted when nothing is to be said for the attempt any more. */
  abandoned: AbortSignal
  onAway: (error: ApiAway) => void
}

/** What an attempt says to the API, and asks of it. An API that is away is waited for. */
export class AttemptCalls {
  readonly #parts: AttemptCallsParts

  constructor(parts: AttemptCallsParts) {
    this.#parts = parts
  }

  log = (piece: LogPiece) => this.#say(runnerPaths.log, piece)
  progress = (detail: Record<string, unknown>) => this.#say(runnerPaths.progress, { detail })
  sourceAccess = () => this.#ask<SourceAccess>(runnerPaths.sourceAccess, {})
  cloudSession = () => this.#ask<CloudSession>(runnerPaths.cloudSession, {})
  findArtifact = (built: FindArtifact) => this.#ask<ArtifactFound>(runnerPaths.findArtifact, built)
  publishArtifact = (built: PublishArtifact) => this.#ask<ArtifactPublished>(runnerPaths.publishArtifact, built)
  publishImage = (built: PublishImage) => this.#ask<ImagePublished>(runnerPaths.publishImage, built)
  settle = (settlement: Settlement) => this.#ask<Settled>(runnerPaths.settle, settlement)

  /** Where the answer to a first call is lost, the plan may be the attempt's already. */
  takePlan({ isAgain, configDigest }: TakePlan): Promise<PlanTaken> {
    let hasAsked = isAgain
    return this.#ask(runnerPaths.takePlan, () => {
      const body = { isAgain: hasAsked, configDigest }
      hasAsked = true
      return body
    })
  }

  /**
   * Sends the plan in JSON as the tool wrote it: it may have a hundred megabytes. What stands behind it are members of
   * ours, which count where a name comes twice.
   */
  plan(report: Omit<PlanReport, 'plan'>, shown: string): Promise<PlanRead> {
    return this.#ask(runnerPaths.plan, `{"plan":${shown},${JSON.stringify(report).slice(1)}`)
  }

  /**
   * Sends how an apply ended, with the state in JSON as the tool wrote it. If the API rejects the report, sends it
   * again without the state, which an older API does not know: the result of an apply must not depend on it.
   */
  async applied(report: Omit<AppliedReport, 'shownState'>, shownState: string | undefined): Promise<AppliedRead> {
    if (shownState === undefined) return this.#ask(runnerPaths.applied, report)
    const withState = `{"shownState":${shownState},${JSON.stringify(report).slice(1)}`
    return this.#ask<AppliedRead>(runnerPaths.applied, withState).catch((error) => {
      if (!(error instanceof ReportRejected)) throw error
      return this.#ask<AppliedRead>(runnerPaths.applied, report)
    })
  }

  async #say(path: RunnerPath, body: object): Promise<void> {
    await this.#ask(path, body)
  }

  async #ask<Answer>(path: RunnerPath, body: object | string | (() => object)): Promise<Answer> {
    const { call, token, lease, abandoned, onAway } = this.#parts
    const send = () => call<Answer>(path, token, typeof body === 'function' ? body() : body, { signal: abandoned })
    let failedSince: number | undefined
    const onFailure = (error: ApiAway) => {
      failedSince ??= performance.now()
      if (lease.hasOutlived(failedSince)) throw new ApiRefusal(error.status ?? 0, {})
      onAway(error)
    }
    try {
      return await untilHeard(send, abandoned, onFailure)
    } catch (error) {
      if (!(error instanceof ApiRefusal)) throw error
      if (error.status === 401 || error.status === 410) throw new AttemptOver(error.message)
      const { code, message } = error.body
      const isReason = error.status === 422 && typeof code === 'string' && typeof message === 'string'
      if (!isReason) throw new ReportRejected(path, error)
      throw new AttemptRefused({ ...error.body, code, message })
    }
  }
}
