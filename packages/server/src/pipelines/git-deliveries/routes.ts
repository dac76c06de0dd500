import { hash, timingSafeEqual } from 'node:crypto'
import { routes } from '@sluice/contract'
import type { FastifyRequest } from 'fastify'
import { noApp } from '../../git/adapter/errors.ts'
import { deliveryHeadersOfA, isSignedByA, readWebhookOfA } from '../../git/adapter/githosta-webhooks.ts'
import { deliveryIdOfB, readWebhookOfB, webhookTokenHeaderOfB } from '../../git/adapter/githostb-webhooks.ts'
import type { GitHosts } from '../../git/adapter/hosts.ts'
import { hashOf } from '../../platform/auth/token.ts'
import type { Db } from '../../platform/db/open.ts'
import { ApiError } from '../../platform/http/api-error.ts'
import type { App } from '../../platform/http/app.ts'
import { parseJson } from '../../platform/http/body.ts'
import { handle } from '../../platform/http/handle.ts'
import { appSender, findReceivingSource, storeDelivery } from './store.ts'
import { toDelivery } from './wake.ts'

type Parts = { db: Db; hosts: GitHosts; clock: () => Date }

const accepted = { data: { accepted: true as const } }

/**
 * Receives deliveries of Git hosts. Verifies and stores them; the engine processes them, so that the host gets a fast
 * response.
 */
export function receiveGitDeliveries(app: App, { db, hosts, clock }: Parts): void {
  app.register(async (scope: App) => {
    takeForms(scope)
    handle(scope, routes.receiveGitHostAWebhook, async ({ body, request }) => {
      const secret = hosts.a.app?.webhookSecret
      if (secret === undefined) throw new ApiError('gitHostNotConfigured', noApp().message)
      const { event, deliveryId, signature } = deliveryHeadersOfA(request.headers)
      if (!isSignedByA(bodyOf(request), signature, secret)) {
        throw new ApiError('webhookProofWrong', 'The delivery is not signed with the webhook secret of our app.')
      }
      const bodyHash = hash('sha256', bodyOf(request), 'hex')
      const events = readWebhookOfA(event, body)
      await keep({ sender: appSender, deliveryId: deliveryId ?? bodyHash, bodyHash, events })
      return accepted
    })
  })

  handle(app, routes.receiveGitHostBWebhook, async ({ params, body, request }) => {
    const source = await findReceivingSource(db, params.id)
    if (!knowsSecret(source?.webhookSecretHash ?? null, request.headers[webhookTokenHeaderOfB])) {
      throw new ApiError('webhookProofWrong', 'The delivery does not carry the webhook secret of a code source.')
    }
    const bodyHash = hash('sha256', bodyOf(request), 'hex')
    const deliveryId = deliveryIdOfB(request.headers) ?? bodyHash
    await keep({ sender: params.id, deliveryId, bodyHash, events: readWebhookOfB(body) })
    return accepted
  })

  async function keep(delivery: Parameters<typeof storeDelivery>[1]): Promise<void> {
    if (delivery.events.length === 0) return
    const id = await storeDelivery(db, delivery, clock())
    if (id === undefined) return
    void app.sendMessages([toDelivery(id)])
  }
}

/**
 * Accepts deliveries as forms with the JSON in one field, which an app can be configured to send. The form is what is
 * signed.
 */
function takeForms(scope: App): void {
  const form = 'application/x-www-form-urlencoded'
  scope.addContentTypeParser(form, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    request.rawBody = body
    return parseJson(Buffer.from(new URLSearchParams(body.toString('utf8')).get('payload') ?? ''))
  })
}

const bodyOf = ({ rawBody }: FastifyRequest): Buffer => rawBody ?? Buffer.alloc(0)

function knowsSecret(secretHash: string | null, secret: string | string[] | undefined): boolean {
  if (secretHash === null || typeof secret !== 'string') return false
  return timingSafeEqual(Buffer.from(secretHash), Buffer.from(hashOf(secret)))
}
