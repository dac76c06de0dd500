import type { DeliveryAttempt } from '@sluice/contract'
import { OutboundError, type SendOutbound } from '@sluice/outbound/send'
import { createSealContext, type SealContext } from '../../platform/crypto/place.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import { MailError, type SendMail } from '../../platform/mail/send.ts'
import { present } from '../../platform/present.ts'
import { addressesOf, addressesOfOwners } from '../notification-channels/store.ts'
import {
  type NotificationChannelRow,
  sealedChannelSecrets,
  sealedFormerChannelSecrets,
} from '../notification-channels/tables.ts'
import { tellsOwners } from './machine.ts'
import { footers, mailOf } from './messages/mail.ts'
import { messageOf } from './messages/notice.ts'
import { type RequestedChannel, requestTo } from './request.ts'
import type { NotificationDeliveryRow } from './tables.ts'

export type AttemptParts = {
  sendOutbound: SendOutbound
  /** Undefined if the operator has not configured mail. */
  sendMail: SendMail | undefined
  channelSeal: Seal
  /** Returns the URL at which a member unsubscribes from mail. */
  unsubscribeUrl: (channelId: string) => string
  clock: () => Date
  db: Db
}

/** Maximum length of a stored response, in characters. */
const keptOfAnswer = 500

/** Deliveries combined in one message, in order. */
export type CombinedDeliveries = readonly [NotificationDeliveryRow, ...NotificationDeliveryRow[]]

type Answered = Omit<DeliveryAttempt, 'at' | 'durationMs'>

/** Sends one message to a channel and returns the result. */
export async function attempt(
  parts: AttemptParts,
  channel: NotificationChannelRow,
  deliveries: CombinedDeliveries,
): Promise<DeliveryAttempt> {
  const at = parts.clock()
  const answered =
    channel.kind === 'EMAIL' || channel.kind === 'TEAM_MEMBERS' || tellsOwners(deliveries[0])
      ? await byMail(parts, channel, deliveries)
      : await byRequest(parts, { ...channel, kind: channel.kind }, deliveries, at)
  return { at: at.toISOString(), durationMs: Math.max(0, parts.clock().getTime() - at.getTime()), ...answered }
}

async function byRequest(
  { channelSeal, sendOutbound }: AttemptParts,
  channel: RequestedChannel,
  deliveries: CombinedDeliveries,
  at: Date,
): Promise<Answered> {
  const [secret, ...former] = secretsOf(channelSeal, channel, at)
  if (secret === undefined) return { error: lostSecret }
  try {
    const { status, body } = await sendOutbound(requestTo({ channel, secrets: [secret, ...former], deliveries, at }))
    return present({ status, answer: kept(body) })
  } catch (error) {
    if (error instanceof OutboundError) return { error: error.message }
    throw error
  }
}

const lostSecret = 'The secret of the channel is sealed with a key that is lost. Give it another.'

async function byMail(
  { db, sendMail, unsubscribeUrl: urlOf }: AttemptParts,
  channel: NotificationChannelRow,
  deliveries: CombinedDeliveries,
): Promise<Answered> {
  if (!sendMail) return { error: 'This installation no longer sends email: its operator must set SLUICE_SMTP_URL.' }
  const [first] = deliveries
  const isToOwners = tellsOwners(first)
  const to = isToOwners ? await addressesOfOwners(db, channel.organizationId) : await addressesOf(db, channel)
  if (to.length === 0) return { error: 'None of its recipients is still a member. Change the recipients.' }
  const unsubscribeUrl = channel.membershipId === null ? undefined : urlOf(channel.id)
  const ofChannel = isToOwners ? footers.owners : footers.recipients
  const footer = unsubscribeUrl === undefined ? ofChannel : footers.person(unsubscribeUrl)
  try {
    const { status, answer } = await sendMail({
      ...mailOf(messageOf(deliveries, channel), footer),
      to,
      unsubscribeUrl,
      id: first.digestId ?? first.id,
      thread: deliveries.length > 1 ? channel.id : first.recordId,
    })
    return present({ status, answer: kept(answer) })
  } catch (error) {
    if (error instanceof MailError) return { error: error.message }
    throw error
  }
}

/** Truncates a response and removes NUL and lone surrogates, which PostgreSQL rejects. */
function kept(answer: string): string | undefined {
  const text = answer.slice(0, keptOfAnswer).replaceAll('\0', '').toWellFormed()
  return text === '' ? undefined : text
}

/**
 * Returns a channel's decrypted secrets, newest first, including one that was rotated recently. None if the keys are
 * lost.
 */
export function secretsOf(
  seal: Seal,
  { organizationId, id, sealedSecret, sealedFormerSecret, formerSecretUntil }: NotificationChannelRow,
  now: Date,
): string[] {
  const isFormerGood = formerSecretUntil !== null && formerSecretUntil > now
  const sealed = [
    [sealedChannelSecrets, sealedSecret],
    [sealedFormerChannelSecrets, isFormerGood ? sealedFormerSecret : null],
  ] as const
  return sealed.flatMap(([column, text]) => {
    const secret =
      text === null ? undefined : decryptOrUndefined(seal, createSealContext(column, organizationId, id), text)
    return secret === undefined ? [] : [secret]
  })
}

/**
 * Decrypts a secret, or returns undefined if the key is lost. The delivery then reports the problem, so no retry is
 * needed.
 */
export function decryptOrUndefined(seal: Seal, place: SealContext, text: string): string | undefined {
  try {
    return seal.open(place, text)
  } catch {
    return undefined
  }
}
