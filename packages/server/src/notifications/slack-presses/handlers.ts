import { OutboundError, type SendOutbound } from '@sluice/outbound/send'
import { createSealContext } from '../../platform/crypto/place.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Db } from '../../platform/db/open.ts'
import type { WorkOn } from '../../platform/db/ownership.ts'
import { createRecordObject } from '../../platform/engine/keyed-by-record.ts'
import type { Message } from '../../platform/engine/messages.ts'
import { endReply, loadPress, postponeReply } from './store.ts'
import { sealedResponseUrls } from './tables.ts'
import { replyHandler, slackPressService } from './wake.ts'

type ReplyParts = { db: Db; sendOutbound: SendOutbound; channelSeal: Seal; clock: () => Date }

/** Durable object, keyed by button press: sends the reply to Slack. */
export const slackPressObject = (workOn: WorkOn<ReplyParts>) =>
  createRecordObject({
    service: slackPressService,
    handler: replyHandler,
    journaledAs: 'reply',
    workOn,
    step: (parts, { id }) => reply(parts, id),
  })

/** Time for which Slack accepts a reply, in milliseconds. */
const answersTakenMs = 30 * 60_000
/** Delay after a failed attempt, in milliseconds. */
const againMs = 15_000

/** Sends the reply. A repetition after a crash is harmless, because the decision is already stored. */
async function reply({ db, sendOutbound, channelSeal, clock }: ReplyParts, id: string): Promise<Message[]> {
  const press = await loadPress(db, id)
  if (!press?.reply || press.sealedResponseUrl === null) return []
  const url = channelSeal.open(createSealContext(sealedResponseUrls, press.organizationId, id), press.sealedResponseUrl)
  const isTaken = await post(sendOutbound, url, JSON.stringify(press.reply))
  const now = clock()
  const isTooLate = now.getTime() - press.createdAt.getTime() > answersTakenMs
  if (isTaken || isTooLate) await endReply(db, press)
  else await postponeReply(db, press, new Date(now.getTime() + againMs))
  return []
}

/** Returns true if the reply was accepted or Slack will never accept it. */
async function post(sendOutbound: SendOutbound, url: string, body: string): Promise<boolean> {
  try {
    const headers = { 'content-type': 'application/json' }
    const { status } = await sendOutbound({ method: 'POST', url, headers, body })
    return status < 500 && status !== 429
  } catch (error) {
    if (error instanceof OutboundError) return false
    throw error
  }
}
