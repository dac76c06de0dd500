import type { ChannelKind, NotificationPayload } from '@sluice/contract'
import type { OutboundRequest } from '../../platform/outbound/send.ts'
import type { NotificationChannelRow } from '../notification-channels/tables.ts'
import { noticeOf } from './messages/notice.ts'
import { pagerDutyEvent } from './messages/pager-duty.ts'
import { slackMessage } from './messages/slack.ts'
import { teamsMessage } from './messages/teams.ts'
import { signedHeaders } from './signature.ts'
import type { NotificationDeliveryRow } from './tables.ts'

/** A channel that is told by a request. */
export type RequestedChannel = NotificationChannelRow & { kind: Exclude<ChannelKind, 'EMAIL'> }

type Sent = {
  channel: Pick<RequestedChannel, 'kind' | 'url'>
  /** What the channel keeps secret, newest first: what it is signed with, or where or by what it is reached. */
  secrets: readonly [string, ...string[]]
  delivery: Pick<NotificationDeliveryRow, 'id' | 'recordId' | 'payload'>
  at: Date
}

/** The request that tells a channel of something. */
export function requestTo({ channel: { kind, url }, secrets, delivery, at }: Sent): OutboundRequest {
  const { id, recordId, payload } = delivery
  const [secret] = secrets
  switch (kind) {
    case 'WEBHOOK': {
      const body = JSON.stringify(standardPayload(payload))
      return { ...post(url ?? '', body), headers: { ...json, ...signedHeaders(secrets, { id, at, body }) } }
    }
    case 'SLACK':
      return post(secret, JSON.stringify(slackMessage(noticeOf(payload))))
    case 'TEAMS':
      return post(secret, JSON.stringify(teamsMessage(noticeOf(payload))))
    case 'PAGERDUTY':
      return post(url ?? '', JSON.stringify(pagerDutyEvent(secret, { payload, recordId })))
  }
}

const json = { 'content-type': 'application/json' }
const post = (url: string, body: string): OutboundRequest => ({ method: 'POST', url, headers: json, body })

/** The payload in the order in which it is signed: the database keeps the keys of JSON in an order of its own. */
const standardPayload = ({ type, timestamp, data }: NotificationPayload): NotificationPayload => ({
  type,
  timestamp,
  data,
})
