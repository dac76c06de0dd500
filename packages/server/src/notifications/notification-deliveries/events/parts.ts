import type { NotificationPayload, NotificationType } from '@sluice/contract'
import type { DeploymentRow } from '../../../delivery/deployments/store/tables.ts'
import type { AuditEventRow } from '../../../identity/audit-events/tables.ts'

/** Record with its display name. */
export type Named = { id: string; name: string }

/** Fields of an audit event from which notifications derive. */
export type NotifiableAuditEvent = Pick<AuditEventRow, 'organizationId' | 'createdAt' | 'details' | 'before'>

/** Returns the URL of a console page, such as `deployments/dep_…`. */
export type LinkTo = (page: string) => string

/** Returns a digest of what is released; see `ReleaseDigests`. */
export type DigestOf = (release: DeploymentRow['release']) => string

/** Returns a string member of a JSON column. */
export function textIn(held: unknown, name: string): string | undefined {
  if (typeof held !== 'object' || held === null) return undefined
  const text: unknown = Reflect.get(held, name)
  return typeof text === 'string' ? text : undefined
}

/** Creates a notification payload. */
export const payloadOf = (
  type: NotificationType,
  at: Date,
  data: NotificationPayload['data'],
): NotificationPayload => ({
  type,
  timestamp: at.toISOString(),
  data,
})

/** Maximum length of user-written text, in characters, so that a payload stays below 64 KiB. */
const maxTextLength = 2_000

/** Truncates user-written text to the maximum length. */
export function truncateText(text: string): string
export function truncateText(text: string | undefined): string | undefined
export function truncateText(text: string | undefined): string | undefined {
  return text?.slice(0, maxTextLength).toWellFormed()
}
