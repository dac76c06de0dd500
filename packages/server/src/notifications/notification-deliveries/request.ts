import type { ChannelKind, NotificationPayload } from '@sluice/contract'
import type { OutboundRequest } from '@sluice/outbound/send'
import type { NotificationChannelRow } from '../notification-channels/tables.ts'
import { cdEvent } from './messages/cd-event.ts'
import { messageOf } from './messages/notice.ts'
import { pagerDutyEvent } from './messages/pager-duty.ts'
import { slackMessage } from './messages/slack.ts'
import { teamsMessage } from './messages/teams.ts'
import { signedHeaders } from './signature.ts'
import type { NotificationDeliveryRow } from './tables.ts'

/** Channel that is notified by an HTTP request. */
export type RequestedChannel = NotificationChannelRow & { kind: Exclude<ChannelKind, 'EMAIL' | 'TEAM_MEMBERS'> }

type Sent = {
  channel: Pick<RequestedChannel, 'kind' | 'url' | 'format' | 'timeZone' | 'sealedSigningSecret'>
  /** Decrypted secrets, newest first: signing secrets, or the secret URL or routing key. */
  secrets: readonly [string, ...string[]]
  /** Deliveries in the message. Webhooks get one at a time. */
  deliveries: readonly [Delivery, ...Delivery[]]
  at: Date
}

type Delivery = Pick<NotificationDeliveryRow, 'id' | 'eventId' | 'recordId' | 'payload'>

/** Returns the HTTP request for a message to a channel. */
export function requestTo({ channel, secrets, deliveries, at }: Sent): OutboundRequest {
  const { kind, url, format } = channel
  const [{ id, eventId, recordId, payload }] = deliveries
  const [secret] = secrets
  switch (kind) {
    case 'WEBHOOK': {
      const isCd = format === 'CDEVENTS'
      const body = JSON.stringify(isCd ? cdEvent({ eventId, payload }) : standardPayload(payload))
      const signed = signedHeaders(secrets, { id, at, body })
      return { ...post(url ?? '', body), headers: { ...(isCd ? cloudEventJson : json), ...signed } }
    }
    case 'SLACK':
      return post(secret, JSON.stringify(slackMessage(messageOf(deliveries, channel), askingIn(channel, deliveries))))
    case 'TEAMS':
      return post(secret, JSON.stringify(teamsMessage(messageOf(deliveries, channel))))
    case 'PAGERDUTY':
      return post(url ?? '', JSON.stringify(pagerDutyEvent(secret, { payload, recordId })))
  }
}

/** Returns the delivery for buttons, if the channel's app signs its requests. Digests have no buttons. */
const askingIn = ({ sealedSigningSecret }: Sent['channel'], [first, ...rest]: Sent['deliveries']) =>
  sealedSigningSecret === null || rest.length > 0 ? {} : { asking: first }

/**
 * Content type of structured mode:
 * https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md
 */
const cloudEventJson = { 'content-type': 'application/cloudevents+json; charset=utf-8' }
const json = { 'content-type': 'application/json' }
const post = (url: string, body: string): OutboundRequest => ({ method: 'POST', url, headers: json, body })

/** Restores the documented key order of a payload, because the database changes it. */
const standardPayload = ({ type, timestamp, data }: NotificationPayload): NotificationPayload => ({
  type,
  timestamp,
  data,
})
