import type { ArtifactKind } from '@sluice/contract'
import type { Order } from '@sluice/contract/runner-protocol'
import type { CacheRule } from '../builds/cache-control.ts'
import type { PipelineConfig } from '../pipeline-versions/config/schema.ts'
import type { KeptVariable } from '../pipeline-versions/config/source.ts'
import type { PipelineRunRow, PipelineStepExecutionRow } from '../pipelines/tables.ts'

type Json = Record<string, unknown>

/** Attempt to assign to a runner, with its rendered `with` section. */
export type AttemptToOrder = {
  run: PipelineRunRow
  step: PipelineStepExecutionRow
  /** Config of the run, with one step per combination of a matrix. */
  config: PipelineConfig
  with: Json
  /** Whether it was leased just now, or is sent again to its runner. */
  isNew: boolean
}

/** Instructions for an attempt, and what its token gives access to. */
export type Ordered = {
  order: Order
  /** Secrets besides those that templates have read. */
  secrets?: string[]
  /** Account in which it can have a session. */
  cloudAccountId?: string | undefined
  /** Workspace of its state; null if the configuration has its own backend. */
  workspaceId?: string | null
  /** References to stored variables of the cloud account, by name. Their values are never stored. */
  kept?: Record<string, KeptVariable>
  /** Destination and identity of the artifact. */
  build?: BuildPlan
}

/** Destination of an artifact, and everything that determines its content. */
export type BuildPlan = FilesPlan | ImagePlan

export type FilesPlan = AnyPlan & {
  kind: Exclude<ArtifactKind, 'image'>
  destination: { bucket: string; region: string; directory: string | undefined; cacheControl: CacheRule[] }
}

export type ImagePlan = AnyPlan & { kind: 'image'; destination: ImageDestination }

export type ImageDestination = AccountRegistry | OtherRegistry

/** Repository of the account's own registry. */
export type AccountRegistry = { arn: string; host: string; repository: string; region: string }

/** Repository of any other registry with credentials; the region is that of stored variables. */
export type OtherRegistry = {
  host: string
  repository: string
  region: string
  access: { username: string; password: string }
}

type AnyPlan = {
  /** Parameters that determine its content besides the files; may contain secrets. */
  madeOf: object
  /** Whether it is built even if an identical artifact exists. */
  isForced: boolean
  instance: { id: string; projectId: string; environmentId: string }
  /** Data for the provenance. */
  given: {
    moduleVersionId: string
    inputs: Json
    /** Variables of the build block; those of the step and the account are only named. */
    environment: Record<string, string>
    secrets: string[]
  }
}

/**
 * Creates the instructions for an attempt. Everything that needs the database is determined here; a runner only
 * executes.
 * @throws {StepFailure} if the step fails before it starts
 * @throws {NothingLeft} if no work is left
 */
export type MakeOrder = (attempt: AttemptToOrder) => Promise<Ordered>

/** Creators of instructions, by step type. */
export type OrderMakers = Partial<Record<string, MakeOrder>>
