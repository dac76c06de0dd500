import type {
  Channel,
  DeploymentData,
  DeploymentStepCode,
  DeploymentType,
  PauseForecast,
  UserFacingError,
} from '@sluice/contract'
import type { ContinueDecision, ContinueRequest } from '../execution/pauses.ts'
import type { Hook } from '../execution/progress.ts'
import type { DeploymentState, PollPace } from '../execution/state.ts'
import type { ReleaseWithoutAccount } from './release.ts'

/** Transitions that need only the database. `expire`: the deadline has passed; `rest`: nothing to do. */
export type Bookkeeping = { do: 'expire' } | { do: 'rest' }

/** Action in the cloud; every type has its own actions. */
export type CloudAction = { do: string }

/** Cloud account of a deployment: by its twelve-digit number, or by the id of its connection. */
export type AccountName = { accountNumber: string } | { cloudAccountId: string }

/** Release of a deploy block, and its account. */
export type ReleaseWithAccount<S extends DeploymentState> = {
  release: ReleaseWithoutAccount<S['release']>
} & AccountName

/** Origin of a deployment request, as recorded in the deployment's data. */
export type Origin = { id: string; channel: Channel; triggeredBy: string }

/** Initial values of a new deployment. */
export type InitialState<S extends DeploymentState> = {
  /** Absent if only the cloud knows it. */
  resourceArn?: string
  resourceName: string
  data: S['data']
  progress: S['progress']
}

/** Reason for which an earlier release is repeated. */
export type Replay = 'redeployment' | 'rollback'

/** Step that begins when a pause is continued, with the change of production traffic. */
export type AfterPause = Pick<PauseForecast, 'nextStepCode' | 'fromPercent' | 'toPercent'>

/** Error by which the cloud rejected a request. */
export type CloudRejection = { name: string; message: string }

/**
 * Deployment type: reads its deploy block and implements its state machine. Has no side effects; the type's
 * `ExecuteAction` executes the actions that the state machine decides on.
 */
export interface TypeDefinition<
  S extends DeploymentState = DeploymentState,
  A extends CloudAction = CloudAction,
  Block = unknown,
> {
  readonly type: DeploymentType
  /** Converts a rendered block that matches its schema in the contract, with defaults filled in. */
  releaseOf(block: Block): ReleaseWithAccount<S>
  begin(release: S['release'], origin: Origin): InitialState<S>
  /**
   * Returns a release that repeats another one without rendering it, and the data that is known from the start. A
   * rollback skips pauses, bakes and commands.
   */
  replay(source: S, as: Replay): { release: S['release']; known: Partial<DeploymentData> }
  /** Returns the steps of a release from first to last. */
  trackOf(release: S['release']): DeploymentStepCode[]
  /** Appends an event to the progress. */
  note(deployment: S, stepCode: DeploymentStepCode, now: Date, details?: { message?: string }): S
  /** Starts the deployment. */
  start(deployment: S, now: Date): S
  /** Returns the next action of an active deployment. */
  nextAction(deployment: S, now: Date): A | Bookkeeping
  /**
   * Reports whether an action changes the cloud. If so, the attempt is recorded before it, so that a crash can be
   * detected.
   */
  changesCloud(action: A): boolean
  /**
   * Reports whether an action only reads the cloud and may be executed redundantly. Measuring a check is not such an
   * action, because the target of a check may count requests.
   */
  onlyReads(action: A): boolean
  /** Applies the expiry of the deadline. */
  onDeadline(deployment: S, now: Date): S
  /** Applies an error by which the cloud rejected an action. */
  onRejected(deployment: S, no: CloudRejection, action: A, pace: PollPace, now: Date): S
  /**
   * Cancels the deployment on behalf of a user, for the reason `error`. Returns undefined if it has ended. Idempotent.
   */
  cancel(deployment: S, now: Date, error: UserFacingError): S | undefined
  /** Continues the given pause, or the one that has waited longest. */
  continueAfterPause(deployment: S, wish: ContinueRequest, now: Date): ContinueDecision<S>
  /** Set if Sluice ends a pause that times out, which gates can block. Absent if the cloud does. */
  pausesTimeOut?: 'BY_SLUICE'
  /** Returns what follows the given pause. Absent from types without pauses. */
  afterPause?(deployment: S, hook: Hook): AfterPause
}
