import type { Statement } from './rights/policy.ts'
import type { Row } from './store.ts'
import { defineState } from './world.ts'

/** IAM role. Key: its ARN. */
export interface Role extends Row {
  externalId?: string | undefined
  /** Service in its trust policy; external callers then cannot assume it. */
  trustedService?: string | undefined
  policy: Statement[]
  maxSessionSeconds: number
  /** Tags of the role, by key. */
  tags?: Record<string, string> | undefined
  /** Opt-in Regions that the account has enabled. */
  enabledRegions?: string[] | undefined
}

/** Temporary credentials of a role session. Key: the access key id. */
export interface Credentials extends Row {
  secretAccessKey: string
  sessionToken: string
  account: string
  roleArn: string
  roleId: string
  sessionName: string
  /** Expiry in real time, as epoch milliseconds. */
  expiresAt: number
}

/** Tables of roles and issued credentials. */
export const identities = defineState((world) => ({
  roles: world.table<Role>('role'),
  credentials: world.table<Credentials>('credentials'),
}))
