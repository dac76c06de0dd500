import type { Db } from '../platform/db/open.ts'
import type { Message } from '../platform/engine/messages.ts'

/** The part of an organization whose gates changed: an instance, or else an environment. */
type Part = { environmentId: string; moduleInstanceId: string | null }

/**
 * Has the queued deployments of an organization, or of a part of it, evaluated again because a gate changed. Returns
 * the messages to send after the commit.
 */
export type ReconcileDeployments = (tx: Db, organizationId: string, now: Date, part?: Part) => Promise<Message[]>
