import type {
  AcquirePlan,
  AcquirePlanResponse,
  AppliedReport,
  ApplyReportResponse,
  CloudSession,
  CompleteAttempt,
  CompleteAttemptResponse,
  DownloadStepArtifact,
  FindArtifact,
  FindArtifactResponse,
  LogChunk,
  Outcome,
  PlanReport,
  PlanReportResponse,
  PublishArtifact,
  PublishArtifactResponse,
  PublishImage,
  PublishImageResponse,
  RunnerPath,
  SensitiveVariables,
  SourceAccess,
  StepArtifactPiece,
  UploadStepArtifact,
} from '@sluice/contract/runner-protocol'
import { runnerPaths } from '@sluice/contract/runner-protocol/constants'
import { ApiError, type ApiUnavailable, type Call, retryUntilAnswered } from './call.ts'
import type { Lease } from './lease.ts'

/** The API accepts nothing more from the attempt: it has ended or another runner has leased it. */
export class AttemptEnded extends Error {
  override readonly name = 'AttemptEnded'
}

/** The API does not accept a report of the attempt: it rejects the report or fails repeatedly for this one. */
export class ReportRejected extends Error {
  override readonly name = 'ReportRejected'
  readonly path: RunnerPath
  readonly status: number

  constructor(path: RunnerPath, { status, body }: Pick<ApiError, 'status' | 'body'>) {
    const answer = status === 0 ? 'was not answered' : `was answered with the status ${status}`
    const message = status < 300 && status > 0 ? 'no JSON object' : body.message
    super(`POST ${path} ${answer}${typeof message === 'string' ? `: ${message}` : ''}`)
    this.path = path
    this.status = status
  }
}

/** The API requires the step to fail with this error. */
export class AttemptRejected extends Error {
  override readonly name = 'AttemptRejected'
  readonly error: Extract<Outcome, { status: 'ERROR' }>['error']

  constructor(error: Extract<Outcome, { status: 'ERROR' }>['error']) {
    super(error.message)
    this.error = error
  }
}

export type AttemptClientParts = {
  call: Call
  token: string
  lease: Lease
  /** Aborted when nothing more may be reported for the attempt. */
  abandoned: AbortSignal
  onUnavailable: (error: ApiUnavailable) => void
}

/** The API calls of one attempt. Retries while the API is unavailable. */
export class AttemptClient {
  readonly #parts: AttemptClientParts

  constructor(parts: AttemptClientParts) {
    this.#parts = parts
  }

  storeLogPiece = (piece: LogChunk) => this.#send(runnerPaths.log, piece)
  reportProgress = (detail: Record<string, unknown>) => this.#send(runnerPaths.progress, { detail })
  reportSensitiveVariables = (declared: SensitiveVariables) => this.#send(runnerPaths.sensitiveVariables, declared)
  requestSourceAccess = () => this.#request<SourceAccess>(runnerPaths.sourceAccess, {})
  requestCloudSession = () => this.#request<CloudSession>(runnerPaths.cloudSession, {})
  findArtifact = (built: FindArtifact) => this.#request<FindArtifactResponse>(runnerPaths.findArtifact, built)
  publishArtifact = (built: PublishArtifact) =>
    this.#request<PublishArtifactResponse>(runnerPaths.publishArtifact, built)
  publishImage = (built: PublishImage) => this.#request<PublishImageResponse>(runnerPaths.publishImage, built)
  settle = (settlement: CompleteAttempt) => this.#request<CompleteAttemptResponse>(runnerPaths.settle, settlement)

  /**
   * Fetches the plan to apply. A retry says so, because the API may have assigned the plan before the response was
   * lost.
   */
  takePlan({ isAgain, configDigest }: AcquirePlan): Promise<AcquirePlanResponse> {
    let hasAsked = isAgain
    return this.#request(runnerPaths.takePlan, () => {
      const body = { isAgain: hasAsked, configDigest }
      hasAsked = true
      return body
    })
  }

  uploadStepArtifact(piece: UploadStepArtifact): Promise<void> {
    return this.#send(runnerPaths.uploadStepArtifact, piece)
  }

  downloadStepArtifact(piece: DownloadStepArtifact): Promise<StepArtifactPiece> {
    return this.#request(runnerPaths.downloadStepArtifact, piece)
  }

  /**
   * Sends the plan JSON as the tool wrote it, without parsing it: it can have 100 MB. The runner's own members follow
   * it, because the last of duplicate names counts.
   */
  reportPlan(report: Omit<PlanReport, 'plan'>, shown: string): Promise<PlanReportResponse> {
    return this.#request(runnerPaths.plan, `{"plan":${shown},${JSON.stringify(report).slice(1)}`)
  }

  /**
   * Reports how an apply ended, with the state JSON as the tool wrote it. If the API rejects the report, sends it again
   * without the state, which an older API does not know. The result of an apply must not depend on it.
   */
  async reportApply(
    report: Omit<AppliedReport, 'shownState'>,
    shownState: string | undefined,
  ): Promise<ApplyReportResponse> {
    if (shownState === undefined) return this.#request(runnerPaths.applied, report)
    const withState = `{"shownState":${shownState},${JSON.stringify(report).slice(1)}`
    return this.#request<ApplyReportResponse>(runnerPaths.applied, withState).catch((error) => {
      if (!(error instanceof ReportRejected)) throw error
      return this.#request<ApplyReportResponse>(runnerPaths.applied, report)
    })
  }

  async #send(path: RunnerPath, body: object): Promise<void> {
    await this.#request(path, body)
  }

  async #request<Answer>(path: RunnerPath, body: object | string | (() => object)): Promise<Answer> {
    const { call, token, lease, abandoned, onUnavailable } = this.#parts
    const send = () => call<Answer>(path, token, typeof body === 'function' ? body() : body, { signal: abandoned })
    let failedSince: number | undefined
    const onFailure = (error: ApiUnavailable) => {
      failedSince ??= performance.now()
      if (lease.hasOutlived(failedSince)) throw new ApiError(error.status ?? 0, {})
      onUnavailable(error)
    }
    try {
      return await retryUntilAnswered(send, abandoned, onFailure)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.status === 401 || error.status === 410) throw new AttemptEnded(error.message)
      const { code, message } = error.body
      const isReason = error.status === 422 && typeof code === 'string' && typeof message === 'string'
      if (!isReason) throw new ReportRejected(path, error)
      throw new AttemptRejected({ ...error.body, code, message })
    }
  }
}
