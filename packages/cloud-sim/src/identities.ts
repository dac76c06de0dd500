import type { Statement } from './rights/policy.ts'
import type { Row } from './store.ts'
import { state } from './world.ts'

/** Key: the role ARN. */
export interface Role extends Row {
  externalId?: string | undefined
  /** The service that its trust policy names instead of anybody who calls. */
  trustedService?: string | undefined
  policy: Statement[]
  maxSessionSeconds: number
  /** By key. */
  tags?: Record<string, string> | undefined
  /** Those of the Regions one has to opt in to that its account has enabled. */
  enabledRegions?: string[] | undefined
}

/** Key: the access key id. */
export interface Credentials extends Row {
  secretAccessKey: string
  sessionToken: string
  account: string
  roleArn: string
  roleId: string
  sessionName: string
  /** Real time, epoch milliseconds. */
  expiresAt: number
}

/** The roles that can be assumed, and the credentials that were given out. */
export const identities = state((world) => ({
  roles: world.table<Role>('role'),
  credentials: world.table<Credentials>('credentials'),
}))
