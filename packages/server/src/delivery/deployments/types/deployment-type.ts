import type {
  Channel,
  DeploymentData,
  DeploymentStepCode,
  DeploymentType,
  PauseForecast,
  UserFacingError,
} from '@sluice/contract'
import type { ContinueDecision, ContinueWish } from '../execution/pauses.ts'
import type { Hook } from '../execution/progress.ts'
import type { PollPace, Standing } from '../execution/state.ts'
import type { UnplacedRelease } from './release.ts'

/** What the database alone takes to do: `expire`: the deadline has passed; `rest`: nothing. */
export type Bookkeeping = { do: 'expire' } | { do: 'rest' }

/** What to do in the cloud; every type has its own. */
export type CloudAction = { do: string }

/** The cloud account that is deployed to: by its twelve-digit number, or by the id of its connection. */
export type AccountName = { accountNumber: string } | { cloudAccountId: string }

/** What a deploy block releases, and to which account. */
export type PlacedRelease<S extends Standing> = { release: UnplacedRelease<S['release']> } & AccountName

/** Who asks for a deployment, and by what, as its data tells. */
export type Origin = { id: string; channel: Channel; triggeredBy: string }

/** What a new deployment begins with. */
export type Beginning<S extends Standing> = {
  /** Absent where only the cloud can tell it. */
  resourceArn?: string
  resourceName: string
  data: S['data']
  progress: S['progress']
}

/** Why an earlier release is released again. */
export type Replay = 'redeployment' | 'rollback'

/** What begins when a pause goes on; with the share of the users' traffic that moves then. */
export type AfterPause = Pick<PauseForecast, 'nextStepCode' | 'fromPercent' | 'toPercent'>

/** A refusal of the cloud, in its own words. */
export type CloudNo = { name: string; message: string }

/**
 * A type of deployment: how its block is read, and how its machine decides. Pure; `carryOut` of the type does what the
 * machine decided.
 */
export interface Kind<S extends Standing = Standing, A extends CloudAction = CloudAction, Block = unknown> {
  readonly type: DeploymentType
  /** Reads a rendered block that is as its description in the contract says, filled in. */
  releaseOf(block: Block): PlacedRelease<S>
  begin(release: S['release'], origin: Origin): Beginning<S>
  /**
   * What releases the same once more, nothing rendered again; with what is known of it from the start. A rollback takes
   * the shortest way: without pauses, bakes and commands.
   */
  replay(source: S, as: Replay): { release: S['release']; known: Partial<DeploymentData> }
  /** The steps of a release from first to last. */
  trackOf(release: S['release']): DeploymentStepCode[]
  /** Appends an event to its progress. */
  note(standing: S, stepCode: DeploymentStepCode, now: Date, details?: { message?: string }): S
  /** The instance is free: the deployment starts. */
  started(standing: S, now: Date): S
  /** What a deployment that runs does next. */
  nextAction(standing: S, now: Date): A | Bookkeeping
  /** Whether an action changes the cloud: then the attempt is written down before it, so that a crash is noticed. */
  changesCloud(action: A): boolean
  /**
   * Whether an action only reads the cloud, so that two of it at the same time do no harm, and neither does one for
   * nothing. A measurement of a check is not such an action: whoever is measured counts it.
   */
  onlyReads(action: A): boolean
  /** The deadline has passed. */
  expired(standing: S, now: Date): S
  /** The cloud said no to an action. */
  refused(standing: S, no: CloudNo, action: A, pace: PollPace, now: Date): S
  /**
   * A person gives it up, for the reason `error`; undefined when it is over already. Doing so twice is doing so once.
   */
  cancelled(standing: S, now: Date, error: UserFacingError): S | undefined
  /** Somebody continues the named pause, or the one that has waited longest. */
  continued(standing: S, wish: ContinueWish, now: Date): ContinueDecision<S>
  /** Who ends a pause when its time is over; without, the cloud does, which no gate can stop. */
  pausesTimeOut?: 'BY_SLUICE'
  /** What comes when this pause goes on; of types whose releases pause nowhere, absent. */
  afterPause?(standing: S, hook: Hook): AfterPause
}
