import type { ArtifactKind } from '@sluice/contract'
import type { Order } from '@sluice/contract/runner-protocol'
import type { CacheRule } from '../builds/cache-control.ts'
import type { KeptVariable } from '../pipeline-versions/config/source.ts'
import type { PipelineRunRow, PipelineStepExecutionRow } from '../pipelines/tables.ts'

type Json = Record<string, unknown>

/** An attempt that a runner has, with its `with` rendered. */
export type AttemptToOrder = {
  run: PipelineRunRow
  step: PipelineStepExecutionRow
  with: Json
  /** Whether it was claimed just now, or is given again to the runner that has it. */
  isNew: boolean
}

/** What is to be done for an attempt, and what may be asked for with its token. */
export type Ordered = {
  order: Order
  /** Texts that must not be seen, beyond those that templates have read. */
  secrets?: string[]
  /** The account that it may have a session in. */
  cloudAccountId?: string | undefined
  /** The workspace whose state it works with; null where the configuration brings a backend of its own. */
  workspaceId?: string | null
  /** Where the cloud account has variables of the environment, by their names: their values are never stored. */
  kept?: Record<string, KeptVariable>
  /** What becomes of what it builds. */
  build?: BuildPlan
}

/** Where an artifact is published, and what makes it the same as another. */
export type BuildPlan = FilesPlan | ImagePlan

export type FilesPlan = AnyPlan & {
  kind: Exclude<ArtifactKind, 'image'>
  destination: { bucket: string; region: string; directory: string | undefined; cacheControl: CacheRule[] }
}

export type ImagePlan = AnyPlan & { kind: 'image'; destination: ImageDestination }

export type ImageDestination = AccountRegistry | OtherRegistry

/** A repository of the account's own registry. */
export type AccountRegistry = { arn: string; host: string; repository: string; region: string }

/** A repository of any other, and who pushes to it; the region is the one that variables are kept in. */
export type OtherRegistry = {
  host: string
  repository: string
  region: string
  access: { username: string; password: string }
}

type AnyPlan = {
  /** Whatever decides about its content, beside the files. Secrets may be among it. */
  madeOf: object
  /** Whether it is built even where the same was built before. */
  isForced: boolean
  instance: { id: string; projectId: string; environmentId: string }
  /** What is written down of how it was built. */
  given: {
    moduleVersionId: string
    inputs: Json
    /** Variables of the build block; those of the step and of the account are named alone. */
    environment: Record<string, string>
    secrets: string[]
  }
}

/**
 * Says what is to be done for an attempt. What the database must say is decided here: a runner only carries out.
 * @throws {StepFailure} where the step fails before anything was done
 * @throws {NothingLeft} where all is done already
 */
export type MakeOrder = (attempt: AttemptToOrder) => Promise<Ordered>

/** Who says it, by the type of step. */
export type OrderMakers = Partial<Record<string, MakeOrder>>
