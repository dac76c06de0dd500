import type { CloudClients } from '../../cloud/adapter/access.ts'

/** The account that a release goes to, and the role that Sluice assumes in it. */
export type CheckedAccount = { clients: CloudClients; roleArn: string; now: Date }
