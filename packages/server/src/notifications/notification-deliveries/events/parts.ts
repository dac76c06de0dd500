import type { NotificationPayload, NotificationType } from '@sluice/contract'
import type { DeploymentRow } from '../../../delivery/deployments/store/tables.ts'
import type { AuditEventRow } from '../../../identity/audit-events/tables.ts'

/** A record, as people call it. */
export type Named = { id: string; name: string }

/** What the audit log says became of something. */
export type Noted = Pick<AuditEventRow, 'organizationId' | 'createdAt' | 'details' | 'before'>

/** The address of a page of the console, such as `deployments/dep_…`. */
export type LinkTo = (page: string) => string

/** What is released, in short; see `ReleaseDigests`. */
export type DigestOf = (release: DeploymentRow['release']) => string

/** The text of that name in what a column of JSON holds. */
export function textIn(held: unknown, name: string): string | undefined {
  if (typeof held !== 'object' || held === null) return undefined
  const text: unknown = Reflect.get(held, name)
  return typeof text === 'string' ? text : undefined
}

/** What is told, as it goes out. */
export const payloadOf = (
  type: NotificationType,
  at: Date,
  data: NotificationPayload['data'],
): NotificationPayload => ({
  type,
  timestamp: at.toISOString(),
  data,
})

/** So long may be what people wrote: with that, no payload is larger than 64 KiB. Characters. */
const longest = 2_000

/** What people wrote, as much of it as is told. */
export function cut(text: string): string
export function cut(text: string | undefined): string | undefined
export function cut(text: string | undefined): string | undefined {
  return text?.slice(0, longest).toWellFormed()
}
