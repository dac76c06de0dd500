import type { ImportableType, ImportRemark } from '@sluice/contract'
import type { CloudClients } from '../../cloud/adapter/access.ts'
import type { FinishedRelease } from '../deployments/external/finished-release.ts'
import type { Release } from '../deployments/types/release.ts'
import type { ImportedModule } from './imported-module.ts'

type Json = Record<string, unknown>

/** Resource to import, by its ARN. */
export type ImportPlace = {
  type: ImportableType
  arn: string
  /** For a site, the home region of its partition. */
  region: string
  accountNumber: string
}

export type ReadParts = {
  clients: CloudClients
  /** Id of the connection, which logs and metrics use. */
  cloudAccountId: string
  place: ImportPlace
  /** For a function. */
  aliasName?: string | undefined
  clock: () => Date
}

/** Running resource, as read from the cloud, in the form of a future instance. */
export type ImportDraft = {
  module: ImportedModule
  /** ARN as in deployments, which shows whether an instance releases to the resource already. */
  resourceArn: string
  aliasName?: string
  input: Json
  /** Inputs of a deployment that would release the running version again; absent if the cloud does not report them. */
  deployInputs?: Json
  running: { version?: string; what: string; since?: Date }
  remarks: ImportRemark[]
  /**
   * Returns the running version as a finished external deployment, and remarks about how `next`, a release with
   * `deployInputs`, would differ.
   */
  recorded(next: Release | undefined): { ended: FinishedRelease; remarks: ImportRemark[] }
}

/** Reasons why a resource cannot be imported, as messages with their subject. */
export type Blockers = { blockers: string[] }
