import { hash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { routes } from '@sluice/contract'
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { createSealContext } from '../../platform/crypto/place.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { handle } from '../../platform/http/handle.ts'
import { newId } from '../../platform/ids.ts'
import { loadChannel } from '../notification-channels/store.ts'
import type { NotificationChannelRow } from '../notification-channels/tables.ts'
import { secretsOf } from '../notification-deliveries/attempt.ts'
import { isAnswerAddress, type Press, pressIn } from './interaction.ts'
import { handlePress, type PressParts } from './press.ts'
import { isSignedBySlack } from './signature.ts'
import { signingSecretOf } from './signing-secret.ts'
import { insertPress, saveReply } from './store.ts'
import { sealedResponseUrls } from './tables.ts'
import { toSlackPress } from './wake.ts'

/** `db` is not scoped to an organization, because the channel's row identifies it. */
type Parts = Omit<PressParts, 'app'> & { db: Db; log: Logger }

/** Maximum time for the response, in milliseconds. Slack shows an error after three seconds; slower work continues. */
const answerWithinMs = 2_500
/** Delay until a reply is sent again if its message to the engine was lost, in milliseconds. */
const replyAgainMs = 5_000

/** Receives button presses from Slack. Requests without a valid signature get no information. */
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
        throw new ApiError('slackSignatureWrong', 'The request is not signed with the signing secret of the channel.')
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

  /** Stores a button press before executing it, so that a repeated request has no effect. */
  async function take(channel: NotificationChannelRow, press: Press, request: FastifyRequest): Promise<void> {
    const { organizationId, id: channelId } = channel
    const own = parts.ofOrganization(organizationId)
    const id = newId('slp')
    const requestHash = hash('sha256', request.rawBody ?? '', 'hex')
    const sealedResponseUrl = channelSeal.close(
      createSealContext(sealedResponseUrls, organizationId, id),
      press.responseUrl,
    )
    const now = parts.clock()
    const row = await insertPress(own, { id, organizationId, channelId, requestHash, sealedResponseUrl }, now)
    if (!row) return
    const reply = await handlePress({ ...parts, app }, { channel, press, request })
    await saveReply(own, row, reply, new Date(parts.clock().getTime() + replyAgainMs))
    await app.sendMessages([toSlackPress(id)])
  }
}

/** Keeps the raw form, because the signature covers it and must be verified before parsing. */
function takeForms(scope: App): void {
  const form = 'application/x-www-form-urlencoded'
  scope.addContentTypeParser(form, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    request.rawBody = body
    return {}
  })
}
