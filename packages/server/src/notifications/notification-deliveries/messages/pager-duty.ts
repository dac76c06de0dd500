import { belongsToChannel, type NotificationPayload, type NotificationType, severityOf } from '@sluice/contract'
import { noticeOf, truncate } from './notice.ts'

type Paged = { payload: NotificationPayload; recordId: string }

/**
 * Returns an event for Events API v2. All events of a record share one alert, which its successful end resolves.
 * https://developer.pagerduty.com/docs/events-api-v2-overview, read 2026-11-25
 */
export function pagerDutyEvent(routingKey: string, { payload, recordId }: Paged) {
  const about = { routing_key: routingKey, dedup_key: recordId }
  if (resolves(payload.type)) return { ...about, event_action: 'resolve' }
  const { title, facts, url } = noticeOf(payload)
  return {
    ...about,
    event_action: 'trigger',
    client: 'Sluice',
    ...(url !== undefined && { client_url: url, links: [{ href: url, text: 'Open in Sluice' }] }),
    payload: {
      summary: truncate(title, maxSummaryLength),
      source: 'Sluice',
      severity: isCritical(payload.type) ? 'critical' : 'warning',
      timestamp: payload.timestamp,
      class: payload.type,
      custom_details: Object.fromEntries(facts.map(({ label, value }) => [label, value])),
    },
  }
}

/** PagerDuty's maximum summary length, in characters. */
const maxSummaryLength = 1024

const ends: readonly NotificationPayload['type'][] = [
  'deployment.succeeded',
  'deployment.rolled_back',
  'deployment.cancelled',
  'pipeline_run.succeeded',
  'pipeline_run.cancelled',
  'hold.lifted',
  'cloud_account.connected',
] satisfies NotificationType[]

/** Reports whether an event type resolves the alert of its record. */
export const resolves = (type: NotificationPayload['type']): boolean => ends.includes(type)

const isCritical = (type: NotificationPayload['type']) => !belongsToChannel(type) && severityOf(type) === 'CRITICAL'
