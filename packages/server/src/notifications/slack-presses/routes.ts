import { hash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { routes } from '@sluice/contract'
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { placeIn } from '../../platform/crypto/place.ts'
import type { Db } from '../../platform/db/open.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { newId } from '../../platform/ids.ts'
import { loadChannel } from '../notification-channels/store.ts'
import type { NotificationChannelRow } from '../notification-channels/tables.ts'
import { secretsOf } from '../notification-deliveries/attempt.ts'
import { isAnswerAddress, type Press, pressIn } from './interaction.ts'
import { answerPress, type PressParts } from './press.ts'
import { isSignedBySlack } from './signature.ts'
import { signingSecretOf } from './signing-secret.ts'
import { insertPress, saveReply } from './store.ts'
import { sealedResponseUrls } from './tables.ts'
import { toSlackPress } from './wake.ts'

/** `db` sees every organization: whose the channel is says its row. */
type Parts = Omit<PressParts, 'app'> & { db: Db; log: Logger }

/** Slack shows an error after three seconds; what takes longer is done all the same. Milliseconds. */
const answerWithinMs = 2_500
/** When a reply is sent whose message to the engine was lost. Milliseconds. */
const replyAgainMs = 5_000

/** Takes from Slack what people press in the messages of channels. Who has not signed is told nothing. */
export function receiveSlackPresses(app: App, { db, log, ...parts }: Parts): void {
  const { channelSeal } = parts
  const inProgress = new Set<Promise<unknown>>()
  app.addHook('onClose', async () => void (await Promise.all(inProgress)))

  app.register(async (scope: App) => {
    takeForms(scope)
    handle(scope, routes.receiveSlackInteraction, async ({ params, request }) => {
      const body = request.rawBody ?? Buffer.alloc(0)
      const channel = await loadChannel(db, params.id)
      if (!channel || !isSigned(channel, request, body)) {
        await app.attempts.badCredential(request.ip)
        throw new Refusal('slackSignatureWrong', 'The request is not signed with the signing secret of the channel.')
      }
      await app.limits.request({ organizationId: channel.organizationId, identityId: channel.id }, body.length)
      const press = pressIn(body)
      const [address = ''] = secretsOf(channelSeal, channel, parts.clock())
      if (!press || !isAnswerAddress(press.responseUrl, address)) return {}
      const work = take(channel, press, request).then(
        () => 'done',
        (err) => {
          log.error({ err, channelId: channel.id }, 'what was pressed in Slack could not be done')
          return 'failed'
        },
      )
      inProgress.add(work)
      work.finally(() => inProgress.delete(work))
      const outcome = await Promise.race([work, wait(answerWithinMs, 'late', { ref: false })])
      if (outcome === 'failed') throw new Error('what was pressed in Slack could not be done')
      return {}
    })
  })

  function isSigned(channel: NotificationChannelRow, { headers }: FastifyRequest, body: Buffer): boolean {
    const secret = signingSecretOf(channelSeal, channel)
    return secret !== undefined && isSignedBySlack(secret, headers, body, parts.clock())
  }

  /** Once for each press: it is written down before it is done, and what comes again is left alone. */
  async function take(channel: NotificationChannelRow, press: Press, request: FastifyRequest): Promise<void> {
    const { organizationId, id: channelId } = channel
    const own = parts.ofOrganization(organizationId)
    const id = newId('slp')
    const requestHash = hash('sha256', request.rawBody ?? '', 'hex')
    const sealedResponseUrl = channelSeal.close(placeIn(sealedResponseUrls, organizationId, id), press.responseUrl)
    const now = parts.clock()
    const row = await insertPress(own, { id, organizationId, channelId, requestHash, sealedResponseUrl }, now)
    if (!row) return
    const reply = await answerPress({ ...parts, app }, { channel, press, request })
    await saveReply(own, row, reply, new Date(parts.clock().getTime() + replyAgainMs))
    await app.sendMessages([toSlackPress(id)])
  }
}

/** What is signed is the form as it came; nothing of it is read before that is known. */
function takeForms(scope: App): void {
  const form = 'application/x-www-form-urlencoded'
  scope.addContentTypeParser(form, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    request.rawBody = body
    return {}
  })
}
