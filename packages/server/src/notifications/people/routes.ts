import { type NotificationSettings, notificationTopics, routes, subscribableTypes } from '@sluice/contract'
import { previousValues, recordChange } from '../../identity/audit-events/record.ts'
import type { Caller } from '../../platform/auth/caller.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import { referenceNotFound } from '../../platform/http/references.ts'
import { present } from '../../platform/present.ts'
import { changesOnEnable, followChange } from '../notification-channels/change.ts'
import { deliveryScheduleFaults } from '../notification-channels/quiet.ts'
import { findMissingScope, startProcessing, updateChannel } from '../notification-channels/store.ts'
import type { NotificationChannelRow } from '../notification-channels/tables.ts'
import { defaultSettings, type Settings } from './settings.ts'
import { findSettings, lockSettings } from './store.ts'

type Parts = {
  /** Whether the operator has configured mail. */
  sendsMail: boolean
  clock: () => Date
}

export function serveNotificationSettings(app: App, { sendsMail, clock }: Parts): void {
  handle(app, routes.getNotificationSettings, async ({ caller, db }) => {
    rejectServiceAccount(caller)
    return { data: toWire((await findSettings(db, caller)) ?? defaultSettings, sendsMail) }
  })

  handle(app, routes.updateNotificationSettings, (call) => {
    const { body, caller, db } = call
    const { data } = body
    rejectServiceAccount(caller)
    return db.transaction(async (tx) => {
      const { organizationId, membershipId } = caller
      const now = clock()
      // Enabled mail includes what is already pending. Locks the position before the settings, in the same order as the
      // poller.
      if (data.enabled && sendsMail) await startProcessing(tx, organizationId)
      const before = await lockSettings(tx, caller, now)
      const faults = deliveryScheduleFaults('EMAIL', { ...before, ...data }, now)
      if (faults.length > 0) throw bodyInvalid(faults)
      const absent = await findMissingScope(tx, organizationId, data)
      if (absent) throw referenceNotFound(absent.field, absent.noun, absent.id)
      const row = await updateChannel(tx, before, { ...data, ...changesOnEnable(before, data.enabled, now) })
      await followChange(tx, row, { changed: data, now })
      const change = { action: 'notification-settings.update', resourceType: 'membership', resourceId: membershipId }
      await recordChange(tx, call, { ...change, details: data, before: previousValues(before, data) })
      return { data: toWire(row, sendsMail) }
    })
  })
}

function rejectServiceAccount({ principalType }: Caller): void {
  if (principalType !== 'MEMBERSHIP')
    throw new ApiError('forbidden', 'Email can only be sent to members of the organization.')
}

const toWire = (
  settings: Settings & Partial<Pick<NotificationChannelRow, 'disabledReason'>>,
  isMailSetUp: boolean,
): NotificationSettings =>
  present({
    enabled: settings.enabled,
    topics: notificationTopics.filter((topic) => settings.topics.includes(topic)),
    projectIds: settings.projectIds,
    environmentIds: settings.environmentIds,
    events: subscribableTypes.filter((type) => settings.events.includes(type)),
    minimumSeverity: settings.minimumSeverity,
    quietHours: settings.quietHours,
    digest: settings.digest,
    timeZone: settings.timeZone,
    isMailSetUp,
    disabledReason: settings.disabledReason ?? undefined,
  })
