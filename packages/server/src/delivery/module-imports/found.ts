import type { ImportableType, ImportRemark } from '@sluice/contract'
import type { CloudClients } from '../../cloud/adapter/access.ts'
import type { EndedRelease } from '../deployments/external/finished-release.ts'
import type { Release } from '../deployments/types/release.ts'
import type { ImportedModule } from './imported-module.ts'

type Json = Record<string, unknown>

/** What is to be imported, by its ARN. */
export type ImportPlace = {
  type: ImportableType
  arn: string
  /** Of a site: the home of its partition. */
  region: string
  accountNumber: string
}

export type ReadParts = {
  clients: CloudClients
  /** The connection's id, which logs and metrics are asked with. */
  cloudAccountId: string
  place: ImportPlace
  /** Of a function. */
  aliasName?: string | undefined
  clock: () => Date
}

/** What runs, as it was read: an instance to be. */
export type Found = {
  module: ImportedModule
  /** As its deployments name it: what tells whether an instance releases to it already. */
  resourceArn: string
  aliasName?: string
  input: Json
  /** The inputs of a deployment that would release what runs once more; absent where the cloud does not tell them. */
  deployInputs?: Json
  running: { version?: string; what: string; since?: Date }
  remarks: ImportRemark[]
  /**
   * What runs as a release that is over, and what the next one would make of it; `next` is what `deployInputs` release.
   */
  recorded(next: Release | undefined): { ended: EndedRelease; remarks: ImportRemark[] }
}

/** Why something cannot be imported as it is: lines for people, each with what it is about. */
export type Blockers = { blockers: string[] }
