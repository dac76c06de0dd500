import type { NotificationPayload, NotificationType } from '@sluice/contract'
import { spellings } from '../platform/db/renamed.ts'

/** Names of event types before version 0.3. */
export const formerTypes: Partial<Record<NotificationPayload['type'], string>> = {
  'deployment.approval_requested': 'deployment.approval_wanted',
  'pipeline_run.approval_requested': 'pipeline_run.approval_wanted',
  'pipeline_run.version_approval_requested': 'pipeline_run.version_approval_wanted',
  'hold.placed': 'hold.began',
  'hold.lifted': 'hold.released',
}

const type = spellings(formerTypes)

/** Converts a channel's list of event types to and from the former names. */
export const formerEventTypes = {
  toStored: (types: NotificationType[]) => types.map(type.toStored),
  toCurrent: (stored: string[]) => stored.map((one) => type.toCurrent(one) as NotificationType),
}

/** Converts the event type of a payload to and from its former name. */
export const formerPayload = {
  toStored: (payload: NotificationPayload) => ({ ...payload, type: type.toStored(payload.type) }),
  toCurrent: (stored: NotificationPayload) => ({ ...stored, type: type.toCurrent(stored.type) }) as NotificationPayload,
}
