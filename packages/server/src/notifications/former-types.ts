import type { NotificationPayload, NotificationType } from '@sluice/contract'
import { spellings } from '../platform/db/renamed.ts'

/** The former names of the event types that version 0.3 renamed. */
export const formerTypes: Partial<Record<NotificationPayload['type'], string>> = {
  'deployment.approval_requested': 'deployment.approval_wanted',
  'pipeline_run.approval_requested': 'pipeline_run.approval_wanted',
  'pipeline_run.version_approval_requested': 'pipeline_run.version_approval_wanted',
  'hold.placed': 'hold.began',
  'hold.lifted': 'hold.released',
}

const type = spellings(formerTypes)

/** Translates the list of types that a channel receives. */
export const formerEventTypes = {
  toStored: (types: NotificationType[]) => types.map(type.toStored),
  toCurrent: (stored: string[]) => stored.map((one) => type.toCurrent(one) as NotificationType),
}

/** Translates the type of a payload. */
export const formerPayload = {
  toStored: (payload: NotificationPayload) => ({ ...payload, type: type.toStored(payload.type) }),
  toCurrent: (stored: NotificationPayload) => ({ ...stored, type: type.toCurrent(stored.type) }) as NotificationPayload,
}
