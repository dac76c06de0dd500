import {
  auditType,
  type ChannelKind,
  type NotificationChannel,
  type NotificationType,
  notificationTypes,
  routes,
} from '@sluice/contract'
import type { FastifyRequest } from 'fastify'
import { authorOf } from '../../identity/audit-events/author.ts'
import { previousValues, recordChange } from '../../identity/audit-events/record.ts'
import { type Caller, mayDo } from '../../platform/auth/caller.ts'
import { createSealContext } from '../../platform/crypto/place.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { bodyInvalid } from '../../platform/http/input.ts'
import { originOf } from '../../platform/http/origin.ts'
import { missing, referenceNotFound } from '../../platform/http/references.ts'
import { newId } from '../../platform/ids.ts'
import { present } from '../../platform/present.ts'
import { secretsOf } from '../notification-deliveries/attempt.ts'
import { hasReceivers } from '../notification-deliveries/process-changes.ts'
import { replay } from '../notification-deliveries/replay.ts'
import { newSecret } from '../notification-deliveries/signature.ts'
import { insertDeliveries, listDeliveries } from '../notification-deliveries/store.ts'
import { deliveryToWire } from '../notification-deliveries/wire.ts'
import { numberIn, rejectForgotten } from '../notification-events/position.ts'
import { disabledChannel } from './api-errors.ts'
import { changesOnEnable, followChange } from './change.ts'
import { deliveryScheduleFaults } from './quiet.ts'
import { channelAddressFaults, openUrl, secretIn, withoutSecret } from './reach.ts'
import {
  countChannels,
  findChannel,
  findMissingReference,
  findPosition,
  insertChannel,
  listChannels,
  lockChannel,
  removeChannel,
  startProcessing,
  stopProcessing,
  updateChannel,
  wakeChannels,
} from './store.ts'
import {
  type NotificationChannelRow,
  sealedChannelSecrets,
  sealedFormerChannelSecrets,
  sealedSigningSecrets,
} from './tables.ts'

const resourceType = 'notification-channel'

type Parts = {
  /** Whether the operator has configured mail. */
  sendsMail: boolean
  channelSeal: Seal
  clock: () => Date
}

export function serveNotificationChannels(app: App, { sendsMail, channelSeal, clock }: Parts): void {
  const origin = (request: FastifyRequest) => originOf(app, request)

  /** Encrypts a Slack signing secret for storage; null removes it. */
  const sealedSigning = (organizationId: string, id: string, secret: string | null | undefined) =>
    secret && channelSeal.close(createSealContext(sealedSigningSecrets, organizationId, id), secret)

  handle(app, routes.createNotificationChannel, ({ body: { data }, caller, db, request }) => {
    const { projectId = null, kind = 'WEBHOOK', events = [], environmentIds = [], enabled = true, ...given } = data
    const { url, routingKey, recipients, teamId, format, signingSecret, ...rest } = given
    const { organizationId } = caller
    const reach = present({ url, routingKey, recipients, teamId, format, signingSecret })
    requireSigningAccess(caller, signingSecret)
    reject(deliveryScheduleFaults(kind, data, clock()))
    if ((kind === 'EMAIL' || kind === 'TEAM_MEMBERS') && !sendsMail) throw noMail()
    requireAuditAccess(caller, kind, events)
    return db.transaction(async (tx) => {
      await startProcessing(tx, organizationId)
      if ((await countChannels(tx, organizationId)) >= maxChannels) throw tooMany()
      await requireExisting(tx, organizationId, { projectId, environmentIds, recipients, teamId })
      rejectWrongReach(kind, reach, { isNew: true })
      const id = newId('nch')
      const signing = kind === 'WEBHOOK' ? newSecret() : undefined
      const secret = signing ?? secretIn(kind, reach)
      const place = createSealContext(sealedChannelSecrets, organizationId, id)
      const sealedSecret = secret === undefined ? null : channelSeal.close(place, secret)
      const to = { kind, url: openUrl(kind, reach) ?? null, recipients, teamId, format }
      const { actorName: createdBy } = authorOf({ caller, request })
      const row = await insertChannel(tx, {
        id,
        organizationId,
        projectId,
        ...to,
        events,
        environmentIds,
        enabled,
        ...rest,
        toldSince: clock(),
        sealedSecret,
        createdBy,
        sealedSigningSecret: sealedSigning(organizationId, id, signingSecret) ?? null,
      })
      const how = { kind, ...withoutSecret(kind, reach) }
      const details = { ...rest, ...how, events, enabled, environmentIds, ...(projectId !== null && { projectId }) }
      const change = { action: 'notification-channels.create', resourceType, resourceId: id, of: row, details }
      await recordChange(tx, { caller, request }, change)
      return { data: present({ ...toWire(row, origin(request)), secret: signing }) }
    })
  })

  handle(app, routes.listNotificationChannels, async ({ query, caller, db, request }) => {
    const page = app.openPage(routes.listNotificationChannels, caller, query)
    const from = origin(request)
    return page.reply(await listChannels(db, caller.organizationId, page), (row) => toWire(row, from))
  })

  handle(app, routes.getNotificationChannel, async ({ params, caller, db, request }) => {
    const row = await findChannel(db, caller.organizationId, params.id)
    return { data: toWire(row ?? notFound(params.id), origin(request)) }
  })

  handle(app, routes.updateNotificationChannel, ({ params, body: { data }, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      if (!(await findChannel(tx, organizationId, params.id))) throw notFound(params.id)
      // A newly enabled channel also receives pending events. Locks the poller's position before the channel, in the
      // same order as the poller.
      if (data.enabled) await startProcessing(tx, organizationId)
      const before = (await lockChannel(tx, organizationId, params.id)) ?? notFound(params.id)
      const { kind } = before
      const { url, routingKey, recipients, teamId, format, signingSecret, ...rest } = data
      const reach = present({ url, routingKey, recipients, teamId, format, signingSecret })
      requireSigningAccess(caller, signingSecret)
      requireAuditAccess(caller, kind, [...before.events, ...(rest.events ?? [])])
      reject(deliveryScheduleFaults(kind, { ...before, ...data }, clock()))
      await requireExisting(tx, organizationId, {
        projectId: before.projectId,
        environmentIds: rest.environmentIds ?? [],
        recipients,
        teamId,
      })
      rejectWrongReach(kind, reach, { isNew: false })
      const secret = secretIn(kind, reach)
      const sealedSigningSecret = sealedSigning(organizationId, before.id, signingSecret)
      const row = await updateChannel(tx, before, {
        ...rest,
        ...changesOnEnable(before, data.enabled, clock()),
        ...(url !== undefined && { url: openUrl(kind, reach) ?? null }),
        ...(recipients !== undefined && { recipients }),
        ...(teamId !== undefined && { teamId }),
        ...(format !== undefined && { format }),
        ...(sealedSigningSecret !== undefined && { sealedSigningSecret }),
        ...(secret !== undefined && {
          sealedSecret: channelSeal.close(createSealContext(sealedChannelSecrets, organizationId, before.id), secret),
        }),
      })
      await followChange(tx, row, { changed: data, now: clock() })
      const details = withoutSecret(kind, data)
      const change = { action: 'notification-channels.update', resourceType, resourceId: row.id, of: row, details }
      await recordChange(tx, { caller, request }, { ...change, before: previousValues(before, data) })
      return { data: toWire(row, origin(request)) }
    }),
  )

  handle(app, routes.deleteNotificationChannel, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      if (!(await findChannel(tx, organizationId, params.id))) throw notFound(params.id)
      await startProcessing(tx, organizationId)
      const { id, name, kind, url, events, projectId } =
        (await removeChannel(tx, organizationId, params.id)) ?? notFound(params.id)
      requireAuditAccess(caller, kind, events)
      if (!(await hasReceivers(tx, organizationId, sendsMail))) await stopProcessing(tx, organizationId)
      const change = {
        action: 'notification-channels.delete',
        resourceType,
        resourceId: id,
        of: { projectId },
        before: { name, kind, url },
      }
      await recordChange(tx, { caller, request }, change)
    }),
  )

  handle(app, routes.testNotificationChannel, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const channel = (await lockChannel(tx, organizationId, params.id)) ?? notFound(params.id)
      if (!channel.enabled) throw disabledChannel(channel.id)
      const now = clock()
      const deliveryId = newId('ndl')
      const data = { organizationId, channelId: channel.id, message: `A test of the channel ${channel.name}.` }
      const payload = { type: 'channel.test', timestamp: now.toISOString(), data } as const
      const told = {
        id: deliveryId,
        channelId: channel.id,
        eventId: `${deliveryId}.test`,
        recordId: deliveryId,
        payload,
      }
      const [delivery] = await insertDeliveries(tx, organizationId, [told], now)
      if (!delivery) throw new Error('the test was not inserted')
      await wakeChannels(tx, organizationId, [channel.id], now)
      const change = { action: 'notification-channels.test', resourceType, resourceId: channel.id, of: channel }
      await recordChange(tx, { caller, request }, { ...change, details: { deliveryId } })
      return { data: deliveryToWire(delivery) }
    }),
  )

  handle(app, routes.replayNotificationChannel, ({ params, body: { data }, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const channel = (await lockChannel(tx, organizationId, params.id)) ?? notFound(params.id)
      const { id } = channel
      if (channel.kind !== 'WEBHOOK') throw notReplayable(id)
      if (!channel.enabled) throw disabledChannel(id)
      const after = numberIn(data.after)
      rejectForgotten(after, (await findPosition(tx, organizationId))?.forgottenNumber)
      const now = clock()
      const replayed = await replay(tx, channel, { after, now })
      if (replayed.deliveries > 0) await wakeChannels(tx, organizationId, [id], now)
      const change = { action: 'notification-channels.replay', resourceType, resourceId: id, of: channel }
      await recordChange(tx, { caller, request }, { ...change, details: { ...data, ...replayed } })
      return { data: replayed }
    }),
  )

  handle(app, routes.rotateNotificationChannelSecret, ({ params, caller, db, request }) =>
    db.transaction(async (tx) => {
      const { organizationId } = caller
      const before = (await lockChannel(tx, organizationId, params.id)) ?? notFound(params.id)
      const { id } = before
      if (before.kind !== 'WEBHOOK') throw unsigned(id)
      requireAuditAccess(caller, before.kind, before.events)
      const now = clock()
      const [former] = secretsOf(channelSeal, before, now)
      const secret = newSecret()
      const row = await updateChannel(tx, before, {
        sealedSecret: channelSeal.close(createSealContext(sealedChannelSecrets, organizationId, id), secret),
        sealedFormerSecret:
          former === undefined
            ? null
            : channelSeal.close(createSealContext(sealedFormerChannelSecrets, organizationId, id), former),
        formerSecretUntil: new Date(now.getTime() + formerSecretMs),
      })
      const change = { action: 'notification-channels.rotate-secret', resourceType, resourceId: id, of: row }
      await recordChange(tx, { caller, request }, change)
      return { data: present({ ...toWire(row, origin(request)), secret }) }
    }),
  )

  handle(app, routes.listNotificationDeliveries, async ({ params, query, caller, db }) => {
    const page = app.openPage(routes.listNotificationDeliveries, caller, { ...query, ...params })
    const channel = (await findChannel(db, caller.organizationId, params.id)) ?? notFound(params.id)
    const wanted = { status: query.status, withLines: mayDo(caller, 'audit-events:read') }
    return page.reply(await listDeliveries(db, channel, wanted, page), deliveryToWire)
  })
}

/** Restricts the audit log to webhooks, which verify the sender, and to callers who can read it. */
function requireAuditAccess(caller: Caller, kind: ChannelKind, events: readonly NotificationType[]): void {
  if (!events.includes(auditType)) return
  if (kind !== 'WEBHOOK') throw bodyInvalid([`$.data.events: expected no ${auditType} for ${kind}`])
  if (mayDo(caller, 'audit-events:read')) return
  throw new ApiError('forbidden', `A channel with ${auditType} requires the permission audit-events:read.`)
}

/** Restricts setting a signing secret, because it authenticates the button presses of all linked members. */
function requireSigningAccess(caller: Caller, signingSecret: string | null | undefined): void {
  if (typeof signingSecret !== 'string' || mayDo(caller, 'memberships:write')) return
  throw new ApiError(
    'forbidden',
    'A signing secret allows decisions as any user with a linked account: setting it requires the permission memberships:write.',
  )
}

/** Maximum number of channels, because every event is matched with all of them. */
const maxChannels = 20

/** Time for which the previous secret also signs after a rotation, in milliseconds. */
const formerSecretMs = 86_400_000

const rejectWrongReach = (...given: Parameters<typeof channelAddressFaults>): void =>
  reject(channelAddressFaults(...given))

function reject(faults: string[]): void {
  if (faults.length > 0) throw bodyInvalid(faults)
}

async function requireExisting(
  tx: Db,
  organizationId: string,
  place: Parameters<typeof findMissingReference>[2],
): Promise<void> {
  const absent = await findMissingReference(tx, organizationId, place)
  if (absent) throw referenceNotFound(absent.field, nouns[absent.field], absent.id)
}

const nouns = { projectId: 'project', environmentIds: 'environment', recipients: 'membership', teamId: 'team' } as const

const tooMany = () =>
  new ApiError(
    'tooManyNotificationChannels',
    `An organization can have at most ${maxChannels} channels. Delete one first.`,
  )

const noMail = () =>
  new ApiError(
    'mailNotSetUp',
    'This installation cannot send email until its operator sets SLUICE_SMTP_URL and SLUICE_MAIL_FROM. Choose another kind of channel.',
  )

const unsigned = (id: string) =>
  new ApiError(
    'notificationChannelUnsigned',
    `Only webhook channels have a signing secret. To change other settings of channel ${id}, use PATCH.`,
  )

const notReplayable = (id: string) =>
  new ApiError(
    'notificationChannelNotReplayable',
    `Past events can be sent again only to webhooks. The channel ${id} is not a webhook.`,
  )

function notFound(id: string): never {
  throw missing('notificationChannelNotFound', 'notification channel', id)
}

const toWire = (row: NotificationChannelRow, origin: string): NotificationChannel =>
  present({
    ...(row.kind === 'SLACK' && ofSlack(row, origin)),
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    organizationId: row.organizationId,
    projectId: row.projectId ?? undefined,
    kind: row.kind,
    name: row.name,
    url: row.url ?? undefined,
    recipients: row.kind === 'EMAIL' ? row.recipients : undefined,
    teamId: row.teamId ?? undefined,
    format: row.kind === 'WEBHOOK' ? row.format : undefined,
    events: notificationTypes.filter((type) => row.events.includes(type)),
    minimumSeverity: row.minimumSeverity,
    environmentIds: row.environmentIds,
    enabled: row.enabled,
    quietHours: row.quietHours,
    digest: row.digest,
    timeZone: row.timeZone,
    disabledReason: row.disabledReason ?? undefined,
    failingSince: row.failingSince?.toISOString(),
    brokenSince: row.brokenSince?.toISOString(),
    createdBy: row.createdBy,
  })

/** Returns the settings for a Slack app, so that it sends button presses to Sluice. */
const ofSlack = ({ id, sealedSigningSecret }: NotificationChannelRow, origin: string) => ({
  hasSigningSecret: sealedSigningSecret !== null,
  interactivityUrl: origin + routes.receiveSlackInteraction.path.replace('{id}', id),
})
