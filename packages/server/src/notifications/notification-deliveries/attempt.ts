import type { DeliveryAttempt } from '@sluice/contract'
import { type Place, placeIn } from '../../platform/crypto/place.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import { OutboundError, type SendOutbound } from '../../platform/outbound/send.ts'
import { present } from '../../platform/present.ts'
import {
  type NotificationChannelRow,
  sealedChannelSecrets,
  sealedFormerChannelSecrets,
} from '../notification-channels/tables.ts'
import { requestTo } from './request.ts'
import type { NotificationDeliveryRow } from './tables.ts'

export type AttemptParts = { sendOutbound: SendOutbound; channelSeal: Seal; clock: () => Date }

/** What is kept of an answer. Characters. */
const keptOfAnswer = 500

/** Sends a delivery to its channel once, and tells what came of it. */
export async function attempt(
  { sendOutbound, channelSeal, clock }: AttemptParts,
  channel: NotificationChannelRow,
  delivery: NotificationDeliveryRow,
): Promise<DeliveryAttempt> {
  const at = clock()
  const [secret, ...former] = secretsOf(channelSeal, channel, at)
  if (secret === undefined) return { at: at.toISOString(), durationMs: 0, error: lostSecret }
  const answered = await answerTo(() =>
    sendOutbound(requestTo({ channel, secrets: [secret, ...former], delivery, at })),
  )
  return { at: at.toISOString(), durationMs: Math.max(0, clock().getTime() - at.getTime()), ...answered }
}

const lostSecret = 'The secret of the channel is sealed with a key that is lost. Give it another.'

async function answerTo(send: () => ReturnType<SendOutbound>) {
  try {
    const { status, body } = await send()
    // What a database of JSON does not take: NUL, and half of a character.
    const answer = body.slice(0, keptOfAnswer).replaceAll('\0', '').toWellFormed()
    return present({ status, answer: answer === '' ? undefined : answer })
  } catch (error) {
    if (error instanceof OutboundError) return { error: error.message }
    throw error
  }
}

/** What the channel keeps secret, newest first: after a rotation also what signed before. None where keys are lost. */
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
    const secret = text === null ? undefined : opened(seal, placeIn(column, organizationId, id), text)
    return secret === undefined ? [] : [secret]
  })
}

/** Who looks after the channel learns it from the delivery, and gives it another: the engine need not try again. */
function opened(seal: Seal, place: Place, text: string): string | undefined {
  try {
    return seal.open(place, text)
  } catch {
    return undefined
  }
}
