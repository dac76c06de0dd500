import type { Decision, UserFacingError } from '@sluice/contract'
import type { FastifyRequest } from 'fastify'
import { linkLifetimeMs, slackLinkToken } from '../../identity/slack-accounts/link-token.ts'
import { findSlackPrincipal } from '../../identity/slack-accounts/store.ts'
import { type Caller, nameOf } from '../../platform/auth/caller.ts'
import type { Secrets } from '../../platform/crypto/keys.ts'
import type { Seal } from '../../platform/crypto/seal.ts'
import type { Database, Db } from '../../platform/db/open.ts'
import type { App } from '../../platform/http/app.ts'
import { originOf } from '../../platform/http/origin.ts'
import { withAccess } from '../../projects/role-grants/access.ts'
import { findChannel } from '../notification-channels/store.ts'
import type { NotificationChannelRow } from '../notification-channels/tables.ts'
import {
  type ChoiceId,
  type DecisionRequest,
  requestedDecision,
} from '../notification-deliveries/messages/requested-decision.ts'
import { findDelivery } from '../notification-deliveries/store.ts'
import type { NotificationDeliveryRow } from '../notification-deliveries/tables.ts'
import type { Press } from './interaction.ts'
import { decidedReply, isShown, privateReply, type Reply, type ShownDecision } from './replies.ts'
import { signingSecretOf } from './signing-secret.ts'

export type PressParts = {
  app: App
  ofOrganization: Database['ofOrganization']
  channelSeal: Seal
  /** Keys for signing links to Slack accounts. */
  slackLinkSecrets: Secrets
  clock: () => Date
}

/** Executes the decision of a button press on behalf of the linked member and returns the reply. */
export async function handlePress(
  parts: PressParts,
  { channel, press, request }: { channel: NotificationChannelRow; press: Press; request: FastifyRequest },
): Promise<Reply> {
  const { app, ofOrganization } = parts
  const { organizationId } = channel
  const db = ofOrganization(organizationId)
  const found = await pressedIn(db, parts.channelSeal, { channel, press })
  const question = found && requestedDecision(found.delivery.payload)
  if (!found || !question?.choices.includes(press.choice)) return privateReply(tooOld)
  if (!found.channel.enabled) return privateReply(switchedOff)
  const principal = await findSlackPrincipal(db, organizationId, press.by)
  const known = await withAccess(ofOrganization, principal)
  if (!known) return linkReply(parts, { organizationId, press, request })
  const caller: Caller = { ...known, through: 'SLACK' }
  const { record, seen } = question
  const asked = { method: 'POST', url: `${record}/${press.choice}`, payload: { data: seen } } as const
  const { status, body } = await app.ownRequests.ask(caller, request, asked)
  if (status >= 500) return privateReply(failed)
  if (status >= 300) return privateReply(whyNot(body as UserFacingError))
  const { decisions, waits } = await loadDecisions({ app, caller, request }, question)
  // The database's clock may put the decision before the request for it.
  const own = { kind: kinds[press.choice], actor: { name: nameOf(caller) }, createdAt: parts.clock().toISOString() }
  const said = decisions.length > 0 ? decisions : [own]
  return decidedReply(found.delivery, found.channel, { decisions: said, waits })
}

/**
 * Returns the delivery of the button and its channel, which must share the signing app. A Slack app has one interaction
 * URL for all of its channels.
 */
async function pressedIn(
  db: Db,
  seal: Seal,
  { channel: told, press: { deliveryId } }: { channel: NotificationChannelRow; press: Press },
): Promise<{ delivery: NotificationDeliveryRow; channel: NotificationChannelRow } | undefined> {
  const { organizationId } = told
  const delivery = await findDelivery(db, organizationId, deliveryId)
  const channel = delivery && (await findChannel(db, organizationId, delivery.channelId))
  const isOfApp = channel && signingSecretOf(seal, channel) === signingSecretOf(seal, told)
  return isOfApp ? { delivery, channel } : undefined
}

const kinds = {
  approve: 'APPROVED',
  reject: 'REJECTED',
  continue: 'CONTINUED',
  cancel: 'CANCELLED',
} as const satisfies Record<ChoiceId, ShownDecision['kind']>

const tooOld = 'This message is too old to decide with. Open it in Sluice.'
const switchedOff = 'Nothing was decided: this channel is switched off in Sluice. Open it there.'
const failed = 'Something went wrong. Look in Sluice whether it was decided, and press again if it was not.'

const whyNot = ({ message, description }: UserFacingError): string =>
  `Nothing was decided. ${message}${description === undefined ? '' : ` ${description}`}`

/** Returns a private reply that explains how to link the Slack account. */
function linkReply(
  { app, slackLinkSecrets, clock }: PressParts,
  { organizationId, press, request }: { organizationId: string; press: Press; request: FastifyRequest },
): Reply {
  const expiresAt = new Date(clock().getTime() + linkLifetimeMs).toISOString()
  const token = slackLinkToken(slackLinkSecrets, { ...press.by, organizationId, expiresAt })
  const url = `${originOf(app, request)}/console/slack?token=${token}`
  return privateReply(
    'Nothing was decided: your Slack account is linked to no member yet. Link it, then press again. The link is for ' +
      'you alone and counts for 10 minutes: do not show it to anyone.',
    { label: 'Link your Slack account', url },
  )
}

type Included = { data: { status: string }; included?: { decisions?: Decision[]; approval?: { isPending: boolean } } }

/** Returns the decisions since the request and whether it is still pending, as visible to the member. */
async function loadDecisions(
  { app, caller, request }: { app: App; caller: Caller; request: FastifyRequest },
  { record, seen, since }: DecisionRequest,
): Promise<{ decisions: ShownDecision[]; waits: boolean }> {
  const url = `${record}?include=decisions&include=approval`
  const { status, body } = await app.ownRequests.ask(caller, request, { method: 'GET', url })
  if (status !== 200) throw new Error(`${record} was decided about and cannot be read: ${status}`)
  const { data, included = {} } = body as Included
  const { decisions = [], approval } = included
  const waits = 'requestedAt' in seen ? data.status === 'PENDING_APPROVAL' : approval?.isPending === true
  return { decisions: decisions.filter(isShown).filter(({ createdAt }) => createdAt >= since), waits }
}
